#include "raster/cairo_library.h"

#include <dlfcn.h>

#include <array>
#include <string>
#include <utility>

namespace sluice::plot::cairo {

namespace {

constexpr const char* kPackages = "libpangocairo-1.0-0 and fonts-dejavu-core";

Error png_unavailable(std::string_view reason) {
  return unavailable("pictures cannot be drawn as PNG: " + std::string(reason))
      .with_code("png_unavailable")
      .with_hint(std::string("Install the Debian packages ") + kPackages + ".");
}

template <typename Function>
bool bind(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  return function != nullptr;
}

// In the order of kLibraryNames.
enum LibraryIndex : std::size_t { kCairo, kPango, kPangoCairo, kGObject, kFontconfig };
constexpr std::array<const char*, 5> kLibraryNames = {"libcairo.so.2", "libpango-1.0.so.0",
                                                      "libpangocairo-1.0.so.0", "libgobject-2.0.so.0",
                                                      "libfontconfig.so.1"};

Result<Library> load() {
  std::array<void*, kLibraryNames.size()> handles{};
  for (std::size_t i = 0; i < kLibraryNames.size(); ++i) {
    handles[i] = dlopen(kLibraryNames[i], RTLD_NOW | RTLD_LOCAL);
    if (handles[i] == nullptr) return png_unavailable(std::string(kLibraryNames[i]) + " cannot be loaded");
  }
  Library out;
  bool is_complete = true;
#define SLUICE_PICTURE_FUNCTION(library, symbol, name, ...) \
  is_complete = bind(handles[library], #symbol, out.name) && is_complete;
#include "raster/functions.inc"
#undef SLUICE_PICTURE_FUNCTION
  if (!is_complete) return png_unavailable("the versions of Pango and cairo lack functions");
  return out;
}

}  // namespace

Result<const Library*> library() {
  static const Result<Library> loaded = load();
  if (!loaded.ok()) return loaded.error();
  return &*loaded;
}

}  // namespace sluice::plot::cairo
