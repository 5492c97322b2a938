#include "sluice/expression/sql.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sluice/base/text.h"
#include "sluice/expression/join_count.h"
#include "sluice/expression/named_columns.h"

#include "sql_binding.h"
#include "sql_columns_read.h"
#include "sql_doubles.h"
#include "sql_equalities.h"
#include "sql_failure.h"
#include "sql_key_links.h"
#include "sql_lineage.h"
#include "sql_node.h"
#include "sql_parse.h"
#include "sql_pivot.h"
#include "sql_place.h"
#include "sql_plan.h"
#include "sql_rename.h"
#include "sql_text.h"
#include "sql_totals.h"
#include "sql_tree.h"

namespace sluice::expression {

namespace {

// An empty relation of the same columns: enough to bind names and types.
std::string empty_relation(const Columns& columns) {
  std::string out;
  for (const engine::Field& column : columns) {
    out += out.empty() ? "SELECT " : ", ";
    const bool is_known = column.type.id != engine::TypeId::kOther && column.type.id != engine::TypeId::kNull;
    out += "CAST(NULL AS " + (is_known ? engine::sql_name(column.type) : "VARCHAR") + ") AS " +
           engine::quote_name(column.name);
  }
  return out.empty() ? "SELECT NULL AS nothing" : out;
}

// The one table of a question about one dataset.
class DataTable final : public SqlTables {
 public:
  explicit DataTable(const Columns& columns) : table_{.name = "data", .columns = columns} {}

  Result<const Table*> find(const std::vector<std::string>& parts, const ScanFilters& /*filters*/) override {
    if (parts.size() > 1) return refused("a table in a schema; only data and WITH tables can be read");
    if (equal_ignoring_case(parts.front(), "data")) return &table_;
    return refused("the table " + parts.front() + "; only data and WITH tables can be read");
  }

 private:
  const Table table_;
};

// The tables that a statement reads, each once, by name.
ReadTables read_tables(const SqlFacts& facts) {
  ReadTables out;
  for (const auto& [node, table] : facts.tables) out.emplace(table->name, table);
  return out;
}

std::string empty_tables(const ReadTables& tables) {
  std::string out;
  for (const auto& [name, table] : tables)
    out += (out.empty() ? "WITH " : ", ") + name + " AS (" + empty_relation(table->columns) + ")";
  return out.empty() ? out : out + " ";
}

ColumnsByTable columns_by_table(const ReadTables& tables) {
  ColumnsByTable out;
  for (const auto& [name, table] : tables) out.emplace(name, table->columns);
  return out;
}

Result<std::string> write(engine::Engine& engine, const json::Value& tree, const engine::RunLimits& limits) {
  Result<std::string> text = write_sql(engine, tree, limits);
  if (text.ok() || text.error().code != "invalid_sql" || !has_doubles(tree)) return text;
  SLUICE_TRY(const json::Value with_casts, with_double_casts(tree, [&](const json::Value& part) {
               return write_unchecked(engine, part, limits);
             }));
  return write_sql(engine, with_casts, limits);
}

// What the parser made of a text holds one SELECT.
Status check_single_statement(const json::Value& tree) {
  SLUICE_TRY(SqlNode root, SqlNode::of(&tree));
  if (root.flag("error")) {
    if (root.text("error_type") == "not implemented") return refused("a statement other than SELECT");
    return not_parsed(root.text("error_message"));
  }
  if (root.items("statements").size() != 1)
    return refused(root.items("statements").empty() ? "an empty statement" : "more than one statement");
  return {};
}

}  // namespace

Result<Question> check_sql(engine::Engine& engine, std::string_view sql, const Columns& columns,
                           const plan::Guard& guard, const engine::RunLimits& limits) {
  DataTable data(columns);
  return check_sql(engine, sql, data, guard, limits);
}

Result<Question> check_sql(engine::Engine& engine, std::string_view sql, SqlTables& tables,
                           const plan::Guard& guard, const engine::RunLimits& limits,
                           const SqlParameters& parameters) {
  SLUICE_CHECK(check_sql_text(sql, parameters));
  SLUICE_TRY(json::Value tree, parse_sql(engine, sql, limits));
  if (const json::Value* error = tree.find("error_type");
      error != nullptr && json::equal(*error, "not implemented")) {
    if (std::optional<Error> pivot = pivot_without_values(sql)) return *std::move(pivot);
  }
  std::vector<TextEquality> equalities = text_equalities(tree, parameters);
  if (!parameters.empty()) {
    SLUICE_TRY(tree, with_values(tree, parameters));
  }
  SqlPlace refused_at;
  Result<SqlFacts> checked = check_tree(tree, tables, refused_at);
  if (!checked.ok()) return refusal_at(std::move(checked).error(), sql, refused_at);
  const SqlFacts facts = *std::move(checked);
  const json::Value named = with_table_names(tree, facts);
  SLUICE_TRY(std::string text, write(engine, named, limits));
  // A WITH cannot follow another. A subquery keeps the order of its rows: nothing above it changes it.
  if (facts.has_with) text = "SELECT * FROM (" + text + ")";
  const auto read = read_tables(facts);
  const Result<engine::Description> description = engine.describe({.sql = empty_tables(read) + text}, limits);
  if (!description.ok()) return binding_failure(description.error(), read, sql, tree);
  if (!description->is_select) return refused("a statement other than SELECT");
  Question question{.sql = std::move(text),
                    .totals = totals_of(tree),
                    .rows_max = facts.rows_max,
                    .kept_values = facts.kept_values,
                    .has_group_by = has_group_by(tree),
                    .text_equalities = std::move(equalities),
                    .language = Language::kSql};
  question.guard = guard;
  question.plan = plan::physical_plan(bind_plan(tree, facts, description->columns), guard);
  question.named_columns = std::make_shared<const NamedColumns>(named_columns(named));
  if (facts.has_join)
    question.joins =
        std::make_shared<const std::vector<JoinCount>>(join_counts(named, columns_by_table(read)));
  question.key_links = key_links(tree, facts.tables);
  question.columns_read = columns_read(tree, facts.tables);
  question.lineage = lineage_of(tree, facts.tables, question.columns_read, description->columns);
  // Which groups a limit keeps depends on the order in which they were seen.
  question.is_order_free = question.plan && plan::is_grouped(*question.plan) &&
                           !std::holds_alternative<plan::Limit>(question.plan->op);
  if (!facts.is_ordered && facts.rows_max.value_or(2) > 1) {
    question.warnings.emplace_back(
        "The order of the rows is not fixed; add ORDER BY to get the same every time.");
  }
  return question;
}

Status check_select(engine::Engine& engine, std::string_view sql, const SqlParameters& parameters,
                    const engine::RunLimits& limits) {
  SLUICE_CHECK(check_sql_text(sql, parameters));
  SLUICE_TRY(const json::Value tree, parse_sql(engine, sql, limits));
  const Status status = check_single_statement(tree);
  return status.ok() ? status : refusal_at(status.error(), sql, place_of_parser_error(tree));
}

}  // namespace sluice::expression
