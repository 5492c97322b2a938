// Any JSON as the tree of a statement: the check ends, and what it refuses says why.
#include "sql_tree.h"

#include "sluice/base/limits.h"
#include "sluice/json/reader.h"

#include "property.h"

namespace {

class OneTable final : public sluice::expression::SqlTables {
 public:
  sluice::Result<const Table*> find(const std::vector<std::string>& parts,
                                    const sluice::expression::ScanFilters& /*filters*/) override {
    if (parts.size() == 1 && parts.front() == "data") return &table_;
    return sluice::invalid_input("no such table").with_code("dataset_not_found").with_hint("There is data.");
  }

 private:
  const Table table_{.name = "data",
                     .columns = {{"a", {.id = sluice::engine::TypeId::kInt64}},
                                 {"b", {.id = sluice::engine::TypeId::kText}}}};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace expression = sluice::expression;
  static OneTable tables;
  const sluice::Result<sluice::json::Value> tree =
      sluice::json::read(text_of(data, size), {.bytes_max = sluice::kSqlTreeBytesMax,
                                               .depth_max = sluice::kSqlTreeDepthMax,
                                               .values_max = sluice::kJsonValuesMax});
  if (!tree) return 0;
  expression::SqlPlace refused_at;
  const sluice::Result<expression::SqlFacts> facts = expression::check_tree(*tree, tables, refused_at);
  if (facts) {
    require(text_of(data, size).find("SELECT_NODE") != std::string_view::npos, "only a SELECT is allowed");
    return 0;
  }
  require(facts.error().kind == sluice::ErrorKind::kInvalidInput, "the caller can act on a refusal");
  require(!facts.error().code.empty() && !facts.error().hint.empty(), "a refusal says what to do");
  return 0;
}
