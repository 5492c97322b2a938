#include "sluice/commands/version.h"

#include <fmt/format.h>

#include "sluice/base/version.h"
#include "sluice/engine/duckdb_library.h"
#include "sluice/json/value.h"
#include "sluice/protocol/revision.h"

namespace sluice::commands {

namespace {

#ifdef SLUICE_GLIBC_MIN
constexpr bool kIsPortable = true;
std::string oldest_glibc() {
  return SLUICE_GLIBC_MIN;
}  // What a test holds every file of a portable build to.
#else
constexpr bool kIsPortable = false;
std::string oldest_glibc() {
  return fmt::format("{}.{}", __GLIBC__, __GLIBC_MINOR__);
}  // What it was built with.
#endif

#ifdef __clang__
constexpr const char* kCompiler = __VERSION__;  // Begins with its name.
#else
constexpr const char* kCompiler = "g++ " __VERSION__;
#endif

}  // namespace

std::string describe_version() {
  json::Array revisions;
  for (const protocol::Revision revision : protocol::kAllRevisions)
    revisions.emplace_back(protocol::to_string(revision));
  json::Object out{{"name", "sluice"}, {"version", product_version()}};
  if (product_commit().empty()) {
    out.set("commit", nullptr);
  } else {
    out.set("commit", product_commit());
  }
  const Result<std::string> engine = engine::duckdb_version();
  json::Object duckdb{{"name", "DuckDB"}};
  if (engine.ok()) {
    duckdb.set("version", *engine);
  } else {
    duckdb.set("error", engine.error().message);
  }
  out.set("engine", std::move(duckdb));
  out.set("compiler", kCompiler);
  out.set("glibc_min", oldest_glibc());
  out.set("portable", kIsPortable);
  out.set("protocol_revisions", std::move(revisions));
  return json::to_text(out);
}

}  // namespace sluice::commands
