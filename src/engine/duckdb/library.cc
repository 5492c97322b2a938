#include "library.h"

#include <dlfcn.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/engine/duckdb_library.h"

namespace sluice::engine {

namespace duck {

// NOLINTNEXTLINE(bugprone-macro-parentheses): what is declared, not a value.
#define SLUICE_DUCKDB_FUNCTION(name) decltype(&::name) name = nullptr
#include "functions.inc"
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
#include "functions.inc"
#undef SLUICE_DUCKDB_FUNCTION
  return is_complete;
}

// The program needs functions that this minor version of DuckDB is the first to have, or whose meaning later
// ones change.
constexpr std::string_view kVersionNeeded = "1.5";

// Only by absolute path, next to the running program: a bare name would make the loader search folders that
// the environment or the current folder decide on.
std::vector<std::string> library_places() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const std::filesystem::path folder = program.parent_path();
  // A portable installation has the program itself in lib/sluice.
  if (folder.filename() == "sluice" && folder.parent_path().filename() == "lib")
    return {folder / "libduckdb.so"};
  return {folder / "libduckdb.so", folder.parent_path() / "lib/sluice/libduckdb.so"};
}

bool is_file_with_bytes(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && std::filesystem::file_size(path, error) > 0 &&
         !error;
}

// The place that has a file, else the one where an installation puts it.
Result<std::string> library_place() {
  const std::vector<std::string> places = library_places();
  if (places.empty()) return internal_error("libduckdb.so cannot be found: /proc/self/exe cannot be read");
  for (const std::string& place : places) {
    std::error_code error;
    if (std::filesystem::exists(place, error)) return place;
  }
  return places.back();
}

Error not_loadable(const std::string& path, std::string_view reason) {
  // The loader's messages begin with the path.
  if (reason.starts_with(path)) reason.remove_prefix(path.size());
  while (reason.starts_with(':') || reason.starts_with(' ')) reason.remove_prefix(1);
  return internal_error(
      fmt::format("libduckdb.so cannot be loaded from {}: {}; install the program again, with its libraries",
                  path, reason));
}

Status find_library() {
  SLUICE_TRY(const std::string path, library_place());
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return not_loadable(path, "there is no such file");
  if (!is_file_with_bytes(path)) return not_loadable(path, "it is not a file with anything in it");
  return {};
}

bool is_version_needed(std::string_view version) {
  return version.starts_with(kVersionNeeded) && version.substr(kVersionNeeded.size()).starts_with('.');
}

// Its version. Nothing is unloaded: threads of an engine may outlive whoever opened it.
Result<std::string> open_library() {
  SLUICE_TRY(const std::string path, library_place());
  SLUICE_CHECK(find_library());
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = dlerror();  // NOLINT(concurrency-mt-unsafe): glibc keeps one for each thread.
    return not_loadable(path, reason == nullptr ? "unknown" : reason);
  }
  const char* (*version_of)() = nullptr;
  if (!find(library, "duckdb_library_version", version_of)) return not_loadable(path, "it is not DuckDB");
  std::string_view version = version_of();
  if (version.starts_with('v')) version.remove_prefix(1);
  if (!is_version_needed(version) || !find_all(library))
    return internal_error(
        fmt::format("libduckdb.so is {}, and this program needs {}", version, kVersionNeeded));
  return std::string(version);
}

// Whether whoever runs the program has been told what is wrong with the library.
std::atomic<bool> is_reported = false;

const Result<std::string>& library_version() {
  static const Result<std::string> opened = open_library();
  return opened;
}

}  // namespace

Status load_library() {
  if (library_version().ok()) return {};
  // What exactly is wrong names folders, so a client does not hear it.
  if (!is_reported.exchange(true))
    log::error("engine.missing", {{"error", library_version().error().message}});
  return internal_error("load the engine: libduckdb.so cannot be used")
      .with_code("engine_failed")
      .with_hint("Install the program again, with its libraries; `sluice check` says what is wrong.");
}

}  // namespace duck

Result<std::string> duckdb_version() {
  duck::is_reported = true;
  return duck::library_version();
}

void warn_if_duckdb_is_missing() {
  const Status found = duck::find_library();
  if (found.ok() || duck::is_reported.exchange(true)) return;
  log::error("engine.missing", {{"error", found.error().message}});
}

}  // namespace sluice::engine
