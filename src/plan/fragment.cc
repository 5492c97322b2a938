#include "sluice/plan/fragment.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "block.h"
#include "block_select.h"
#include "database_condition.h"
#include "database_join.h"
#include "joined_scans.h"
#include "used_parameters.h"

namespace sluice::plan {

namespace {

using engine::Dialect;
using engine::quote_name;
using engine::TypeId;

constexpr std::uint64_t kLimitMax = INT64_MAX;  // Databases count in 64 bits with a sign.

std::string joined_text(const std::vector<std::string>& parts, std::string_view between) {
  return fmt::format("{}", fmt::join(parts, between));
}

// A condition that keeps the same rows and maybe more, if the table of overloads has the one given as such.
std::optional<Condition> superset_of(const Condition& condition, const Target& target) {
  if (condition.column >= target.columns.size()) return std::nullopt;
  const TypeClass type_class = class_of(target.layout.columns[condition.column], target.dialect);
  if (support(function_of(condition), type_class, target.dialect) != Support::kSuperset) return std::nullopt;
  Condition out = condition;
  if (condition.kind == Condition::Kind::kEndsWith) out.kind = Condition::Kind::kContains;
  return out;
}

// Prints plans over tables of one database. The parameters of one part stand before those of the next.
class PlanPrinter {
 public:
  PlanPrinter(const Targets& targets, Ties ties) : targets_(targets), ties_(ties) {}

  std::optional<engine::Select> print(const Node& plan) {
    std::optional<engine::Select> out = select(plan, {}, true);
    // A comparison that decides without its column leaves out what was computed for it.
    if (out) out->statement = with_used_parameters(std::move(out->statement));
    return out;
  }

 private:
  using Parameters = std::vector<engine::Parameter>;

  // NOLINTNEXTLINE(misc-no-recursion): as deep as set operations are nested.
  std::optional<engine::Select> select(const Node& plan, Parameters parameters, bool is_answer) {
    const std::optional<Block> block = block_of(plan);
    if (!block) return std::nullopt;
    if (block->is_join()) return over_join(*block, std::move(parameters), is_answer);
    if (block->set_operation() != nullptr) return over_sides(*block, std::move(parameters));
    const auto found = targets_.find(std::get<Scan>(block->from->op).table);
    if (found == targets_.end() || block->from->columns.size() != found->second.columns.size())
      return std::nullopt;
    const engine::TableName& table = found->second.layout.summary.name;
    return block_select(*block, found->second, ties_,
                        {.sql = engine::quote_table(table),
                         .where = {},
                         .table = table,
                         .parameters = std::move(parameters),
                         .is_answer = is_answer});
  }

  std::optional<engine::Select> over_join(const Block& block, Parameters parameters, bool is_answer) {
    const std::optional<DatabaseJoin> join = database_join(*block.from, targets_, std::move(parameters));
    if (!join) return std::nullopt;
    const Target all{.dialect = dialect(),
                     .layout = join->layout,
                     .columns = block.from->columns,
                     .aliases = &join->aliases};
    return block_select(block, all, Ties::kRefuse,
                        {.sql = join->from,
                         .where = join->where,
                         .table = {},
                         .parameters = join->parameters,
                         .is_answer = is_answer});
  }

  // Each side yields values that have been checked to be of their types, so that they are compared as the
  // engine compares them.
  // NOLINTNEXTLINE(misc-no-recursion): as deep as set operations are nested.
  std::optional<engine::Select> over_sides(const Block& block, Parameters parameters) {
    const SetOperation& set = *block.set_operation();
    // SQLite has no other operation that keeps equal rows.
    if (set.all && set.kind != SetKind::kUnion && dialect() == Dialect::kSqlite) return std::nullopt;
    std::optional<engine::Select> left = select(*set.left, std::move(parameters), false);
    if (!left) return std::nullopt;
    std::optional<engine::Select> right = select(*set.right, std::move(left->statement.parameters), false);
    if (!right || !can_be_sides(set, *left, *right)) return std::nullopt;
    engine::TableLayout layout;
    std::vector<std::string> aliases;
    for (const engine::Field& column : left->columns) {
      const bool is_text = column.type.id == TypeId::kText;
      layout.columns.push_back({.name = column.name,
                                .type = column.type,
                                .declared = is_text ? "TEXT" : "NUMERIC",
                                .select = "rows." + quote_name(column.name)});
      aliases.emplace_back("rows");
    }
    const std::string sql = fmt::format("({} {} {}) AS rows", side_sql(*left, "one"), set_operator(set),
                                        side_sql(*right, "other"));
    const Target all{.dialect = dialect(), .layout = layout, .columns = left->columns, .aliases = &aliases};
    return block_select(
        block, all, Ties::kRefuse,
        {.sql = sql, .where = {}, .table = {}, .parameters = std::move(right->statement.parameters)});
  }

  bool can_be_sides(const SetOperation& set, const engine::Select& left, const engine::Select& right) const {
    for (std::size_t i = 0; i < left.columns.size(); ++i) {
      const engine::Type& type = left.columns[i].type;
      if (engine::sql_name(type) != engine::sql_name(right.columns[i].type)) return false;
      // Equal rows are found as those of a group are.
      const bool compares = !set.all || set.kind != SetKind::kUnion;
      if (compares && support(Function::kGroupKey, class_of(type), dialect()) != Support::kExact)
        return false;
    }
    return true;
  }

  std::string side_sql(const engine::Select& side, std::string_view alias) const {
    std::vector<std::string> columns;
    for (const engine::Field& column : side.columns) {
      const std::string name = quote_name(column.name);
      const bool is_text = column.type.id == TypeId::kText;
      const std::string_view collation = !is_text                          ? ""
                                         : dialect() == Dialect::kPostgres ? " COLLATE \"C\""
                                                                           : " COLLATE BINARY";
      columns.push_back(fmt::format("{}.{}{} AS {}", alias, name, collation, name));
    }
    return fmt::format("SELECT {} FROM ({}) AS {}", joined_text(columns, ", "), side.statement.sql, alias);
  }

  Dialect dialect() const { return targets_.begin()->second.dialect; }

  const Targets& targets_;
  const Ties ties_;
};

// NOLINTNEXTLINE(misc-no-recursion): as deep as joins and set operations are nested.
void collect_tables(const Node& node, std::set<std::string>& out) {
  if (const auto* scan = std::get_if<Scan>(&node.op)) out.insert(scan->table);
  if (const auto* join = std::get_if<Join>(&node.op)) {
    collect_tables(*join->left, out);
    collect_tables(*join->right, out);
  }
  if (const auto* set = std::get_if<SetOperation>(&node.op)) {
    collect_tables(*set->left, out);
    collect_tables(*set->right, out);
  }
  if (const Node* input = input_of(node)) collect_tables(*input, out);
}

}  // namespace

std::optional<engine::Select> fragment(const PhysicalPlan& plan, const Target& target, Ties ties) {
  std::set<std::string> tables;
  collect_tables(*plan, tables);
  Targets targets;  // All are the same table.
  for (const std::string& table : tables) targets.emplace(table, target);
  return targets.empty() ? std::nullopt : PlanPrinter(targets, ties).print(*plan);
}

std::optional<engine::Select> fragment(const PhysicalPlan& plan, const Targets& targets) {
  return targets.empty() ? std::nullopt : PlanPrinter(targets, Ties::kRefuse).print(*plan);
}

std::optional<Condition> pushable(const Condition& condition, const Target& target) {
  std::vector<engine::Parameter> parameters;
  DatabaseConditions printer(target, parameters);
  if (printer.print(condition)) return condition;
  if (std::optional<Condition> wider = superset_of(condition, target); wider && printer.print(*wider))
    return wider;
  // Of a conjunction any part may be left out. Of a disjunction each part must leave something.
  if (condition.kind != Condition::Kind::kAnd && condition.kind != Condition::Kind::kOr) return std::nullopt;
  std::vector<Condition> kept;
  for (const Condition& part : condition.parts) {
    std::optional<Condition> one = pushable(part, target);
    if (one) kept.push_back(*std::move(one));
    if (!one && condition.kind == Condition::Kind::kOr) return std::nullopt;
  }
  if (kept.empty()) return std::nullopt;
  return condition.kind == Condition::Kind::kAnd ? all_of(std::move(kept)) : any_of(std::move(kept));
}

engine::Select scan_select(const ScanOptions& options, const Target& target,
                           const std::vector<std::size_t>& wanted) {
  engine::Select out;
  out.table = target.layout.summary.name;
  std::vector<std::string> selected;
  for (const std::size_t i : wanted) {
    selected.push_back(target.layout.columns[i].select);
    // What is learned about a column is remembered under its own name.
    out.columns.push_back({.name = target.layout.columns[i].name, .type = target.columns[i].type});
  }
  if (selected.empty()) {
    selected.emplace_back("1");
    out.columns.push_back({.name = "one", .type = {.id = TypeId::kInt32}});
  }
  out.statement.sql = fmt::format("SELECT {} FROM {}", joined_text(selected, ", "),
                                  engine::quote_table(target.layout.summary.name));
  if (options.filter != nullptr) {
    DatabaseConditions printer(target, out.statement.parameters);
    const std::optional<Condition> condition = pushable(*options.filter, target);
    const std::optional<std::string> sql = condition ? printer.print(*condition) : std::nullopt;
    if (sql) out.statement.sql += " WHERE " + *sql;
  }
  if (options.is_ordered && !target.layout.row_order.empty())
    out.statement.sql += " ORDER BY " + target.layout.row_order;
  if (options.rows_max && *options.rows_max < kLimitMax)
    out.statement.sql += fmt::format(" LIMIT {}", *options.rows_max);
  return out;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as set operations are nested.
std::map<std::string, std::set<std::size_t>> columns_read(const Node& plan) {
  std::map<std::string, std::set<std::size_t>> out;
  const std::optional<Block> block = block_of(plan);
  if (!block) return out;
  if (const SetOperation* set = block->set_operation()) {
    out = columns_read(*set->left);
    for (const auto& [table, columns] : columns_read(*set->right))
      out[table].insert(columns.begin(), columns.end());
    return out;
  }
  std::set<std::size_t> columns = block->outputs();
  if (block->compute != nullptr) {
    const std::vector<ScalarCall>& calls = std::get<Compute>(block->compute->op).calls;
    for (std::size_t i = calls.size(); i-- > 0;) {
      if (columns.erase(block->from->columns.size() + i) == 0) continue;
      for (const std::size_t column : columns_of(calls[i])) columns.insert(column);
    }
  }
  const std::vector<JoinedScan> scans = joined_scans(*block->from);
  for (const JoinedScan& scan : scans) {
    if (scan.join == nullptr) continue;
    for (const JoinKey& key : scan.join->keys) columns.insert({key.left, scan.first + key.right});
  }
  for (const JoinedScan& scan : scans) {
    for (const std::size_t column : columns) {
      if (column >= scan.first && column - scan.first < scan.scan->columns.size())
        out[scan.table()].insert(column - scan.first);
    }
  }
  return out;
}

}  // namespace sluice::plan
