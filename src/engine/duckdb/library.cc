#include "duckdb/library.h"

#include <dlfcn.h>

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

Status load() {
  // It is never unloaded: threads of an engine may end after whoever opened it.
  void* library = dlopen("libduckdb.so", RTLD_LAZY | RTLD_LOCAL);
  if (library != nullptr && find_all(library)) return {};
  // What the loader says is left out: it names folders.
  return internal_error(library == nullptr ? "load the engine: libduckdb.so cannot be loaded"
                                           : "load the engine: libduckdb.so is of another version")
      .with_code("engine_failed")
      .with_hint("Install the program again, with its libraries.");
}

}  // namespace

Status load_library() {
  static const Status loaded = load();
  return loaded;
}

}  // namespace sluice::engine::duck
