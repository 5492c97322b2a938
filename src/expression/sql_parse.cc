#include "sql_parse.h"

#include <memory>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/json/reader.h"

#include "sql_node.h"

namespace sluice::expression {

namespace {

// The one text that a statement gives.
Result<std::string> ask(engine::Engine& engine, const engine::Statement& statement,
                        const engine::RunLimits& limits) {
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows, engine.query(statement, limits));
  SLUICE_TRY(const engine::Batch* batch, rows->next());
  if (batch == nullptr || batch->columns.front().is_null(0)) return refused("text that does not parse");
  return std::string(batch->columns.front().text(0));
}

// `SELECT * FROM …` as the engine serializes it, without what it reads.
constexpr std::string_view kSelectStar =
    R"({"type":"SELECT_NODE","modifiers":[],"cte_map":{"map":[]},"select_list":[{"class":"STAR","type":"STAR",)"
    R"("alias":"","relation_name":"","exclude_list":[],"replace_list":[],"columns":false,"expr":null,)"
    R"("qualified_exclude_list":[],"rename_list":[]}],"where_clause":null,"group_expressions":[],"group_sets":[],)"
    R"("aggregate_handling":"STANDARD_HANDLING","having":null,"sample":null,"qualify":null})";

// The VALUES inside `(SELECT * FROM (VALUES …) AS valueslist) AS valueslist`, or null. The writer puts one
// more such layer around VALUES each time.
const json::Value* wrapped_values(const json::Object& table) {
  const json::Value* type = table.find("type");
  const json::Value* alias = table.find("alias");
  const json::Value* names = table.find("column_name_alias");
  const json::Value* sample = table.find("sample");
  if (type == nullptr || alias == nullptr || !json::equal(*type, "SUBQUERY") ||
      !json::equal(*alias, "valueslist") || names == nullptr || !names->is_array() ||
      !names->if_array()->empty() || sample == nullptr || !sample->is_null()) {
    return nullptr;
  }
  const json::Value* subquery = table.find("subquery");
  const json::Value* node = subquery == nullptr ? nullptr : subquery->find("node");
  const json::Value* from = node == nullptr ? nullptr : node->find("from_table");
  const json::Value* from_type = from == nullptr ? nullptr : from->find("type");
  if (from_type == nullptr || !json::equal(*from_type, "EXPRESSION_LIST")) return nullptr;
  static const json::Value kPlain = json::read(kSelectStar).value();
  json::Object rest = *node->if_object();
  rest.erase("from_table");
  return json::equal(rest, kPlain) ? from : nullptr;
}

// The tree without what says nothing about its meaning: where its parts stood in the text, and layers around
// VALUES.
json::Value meaning(const json::Value& value) {
  if (const json::Array* array = value.if_array(); array != nullptr) {
    json::Array out;
    for (const json::Value& item : *array) out.push_back(meaning(item));
    return out;
  }
  const json::Object* object = value.if_object();
  if (object == nullptr) return value;
  json::Object out;
  for (const json::Member& member : *object) {
    if (member.key != "query_location") out.append_unchecked(member.key, meaning(member.value));
  }
  const json::Value* values = wrapped_values(out);
  return values == nullptr ? json::Value(std::move(out)) : json::Value(*values);
}

}  // namespace

Result<json::Value> parse_sql(engine::Engine& engine, std::string_view sql, const engine::RunLimits& limits) {
  SLUICE_TRY(const std::string text,
             ask(engine,
                 {.sql = "SELECT CAST(json_serialize_sql(CAST($1 AS VARCHAR)) AS VARCHAR)",
                  .parameters = {std::string(sql)}},
                 limits));
  Result<json::Value> tree = json::read(
      text, {.bytes_max = kSqlTreeBytesMax, .depth_max = kSqlTreeDepthMax, .values_max = kJsonValuesMax});
  if (!tree.ok()) return too_large("too deep, or of too many parts");
  return tree;
}

Result<std::string> write_unchecked(engine::Engine& engine, const json::Value& tree,
                                    const engine::RunLimits& limits) {
  return ask(engine,
             {.sql = "SELECT json_deserialize_sql(CAST($1 AS JSON))", .parameters = {json::to_text(tree)}},
             limits);
}

Result<std::string> write_sql(engine::Engine& engine, const json::Value& tree,
                              const engine::RunLimits& limits) {
  Result<std::string> sql = write_unchecked(engine, tree, limits);
  const auto refuse = [] {
    return refused("a construct that cannot be written back")
        .with_hint("Write nested joins as subqueries, each with a name.");
  };
  if (!sql.ok()) return sql.error().kind == ErrorKind::kInvalidInput ? refuse() : std::move(sql).error();
  SLUICE_TRY(const json::Value again, parse_sql(engine, *sql, limits));
  if (!json::equal(meaning(tree), meaning(again))) return refuse();
  return sql;
}

}  // namespace sluice::expression
