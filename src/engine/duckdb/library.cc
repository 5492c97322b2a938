#include "duckdb/library.h"

#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <string>
#include <system_error>

namespace sluice::engine::duck {

// NOLINTNEXTLINE(bugprone-macro-parentheses): what is declared, not a value.
#define SLUICE_DUCKDB_FUNCTION(name) decltype(&::name) name = nullptr
#include "duckdb/functions.inc"
#undef SLUICE_DUCKDB_FUNCTION

namespace {

template <typename Function>
bool find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

bool find_all(void* library) {
  bool is_complete = true;
#define SLUICE_DUCKDB_FUNCTION(name) is_complete = find(library, #name, name) && is_complete
#include "duckdb/functions.inc"
#undef SLUICE_DUCKDB_FUNCTION
  return is_complete;
}

// Only by absolute path, next to the running program: a bare name would make the loader search folders that
// the environment or the current folder decide on.
void* open_library() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return nullptr;
  const std::filesystem::path folder = program.parent_path();
  for (const std::filesystem::path& place : std::array{folder, folder.parent_path() / "lib/sluice"}) {
    // Never unloaded: threads of an engine may outlive whoever opened it.
    void* library = dlopen((place / "libduckdb.so").c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library != nullptr) return library;
  }
  return nullptr;
}

Status load() {
  void* library = open_library();
  if (library != nullptr && find_all(library)) return {};
  // The loader's own message is left out because it names folders.
  return internal_error(library == nullptr ? "load the engine: libduckdb.so cannot be loaded"
                                           : "load the engine: libduckdb.so is of another version")
      .with_code("engine_failed")
      .with_hint("Install the program again, with libduckdb.so beside it or in ../lib/sluice.");
}

}  // namespace

Status load_library() {
  static const Status loaded = load();
  return loaded;
}

}  // namespace sluice::engine::duck
