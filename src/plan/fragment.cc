#include "sluice/plan/fragment.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "block.h"
#include "database_aggregate.h"
#include "database_condition.h"
#include "database_join.h"
#include "group_condition.h"
#include "joined_scans.h"

namespace sluice::plan {

namespace {

using engine::Dialect;
using engine::Field;
using engine::quote_name;
using engine::Type;
using engine::TypeId;

constexpr std::uint64_t kLimitMax = INT64_MAX;  // Databases count in 64 bits with a sign.

std::string joined_text(const std::vector<std::string>& parts, std::string_view between) {
  return fmt::format("{}", fmt::join(parts, between));
}

std::string order_term(const std::string& sql, const SortKey& key) {
  return fmt::format("{} {} {}", sql, key.descending ? "DESC" : "ASC",
                     key.nulls_first ? "NULLS FIRST" : "NULLS LAST");
}

// Prints one block as a SELECT of the database.
class FragmentPrinter {
 public:
  FragmentPrinter(const Block& block, const Target& target, Ties ties)
      : block_(block), target_(target), ties_(ties), conditions_(target, select_.statement.parameters) {
    select_.table = target.layout.summary.name;
    from_ = engine::quote_table(select_.table);
  }

  // `target` is that of all tables of the join.
  FragmentPrinter(const Block& block, const Target& target, const DatabaseJoin& join)
      : block_(block),
        target_(target),
        ties_(Ties::kRefuse),
        conditions_(target, select_.statement.parameters),
        from_(join.from),
        where_(join.where) {
    select_.statement.parameters = join.parameters;
  }

  std::optional<engine::Select> print() {
    if (block_.first_of_each != nullptr) return std::nullopt;
    if (block_.filter != nullptr) {
      const std::optional<std::string> sql = conditions_.print(*block_.filter);
      if (!sql) return std::nullopt;
      where_ += (where_.empty() ? " WHERE " : " AND ") + *sql;
    }
    const bool done = block_.aggregate != nullptr  ? groups()
                      : block_.distinct != nullptr ? distinct_rows()
                                                   : rows();
    if (!done) return std::nullopt;
    add_limit();
    return std::move(select_);
  }

 private:
  void add_limit() {
    if (block_.limit == nullptr) return;
    const bool is_limited = block_.limit->rows && *block_.limit->rows < kLimitMax;
    if (is_limited) select_.statement.sql += fmt::format(" LIMIT {}", *block_.limit->rows);
    if (!is_limited && block_.limit->offset > 0 && target_.dialect == Dialect::kSqlite)
      select_.statement.sql += " LIMIT -1";  // SQLite has no OFFSET alone.
    if (block_.limit->offset > 0) select_.statement.sql += fmt::format(" OFFSET {}", block_.limit->offset);
  }

  std::vector<std::size_t> selected() const {
    if (block_.project != nullptr) return block_.project->columns;
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < target_.columns.size(); ++i) all.push_back(i);
    return all;
  }

  // What is selected, and the columns that it is decoded into.
  std::string select_columns(bool is_checked) {
    std::vector<std::string> out;
    for (const std::size_t i : selected()) {
      const DatabaseColumn column = conditions_.column(i);
      select_.columns.push_back(*column.ours);
      if (has_names()) select_.columns.back().name = block_.project->names[out.size()];
      out.push_back(fmt::format("{} AS {}",
                                is_checked ? checked(column, target_.dialect) : column.theirs->select,
                                quote_name(select_.columns.back().name)));
    }
    return joined_text(out, ", ");
  }

  bool has_names() const { return block_.project != nullptr && !block_.project->names.empty(); }

  // Whether an output has the name of another column. ORDER BY would mean the output, and a value that does
  // not fit its type would be blamed on the wrong column.
  bool hides_a_column() const {
    if (!has_names()) return false;
    for (std::size_t i = 0; i < block_.project->columns.size(); ++i) {
      const std::string& name = block_.project->names[i];
      const auto is_name = [&](std::string_view other) { return equal_ignoring_case(other, name); };
      if (is_name("rowid") || is_name("_rowid_") || is_name("oid")) return true;
      for (std::size_t k = 0; k < target_.columns.size(); ++k) {
        const bool is_same = k == block_.project->columns[i];
        if (!is_same && (is_name(target_.columns[k].name) || is_name(target_.layout.columns[k].name)))
          return true;
      }
    }
    return false;
  }

  bool rows() {
    if (!block_.is_join() && hides_a_column()) return false;
    select_.statement.sql = fmt::format("SELECT {} FROM {}{}", select_columns(false), from_, where_);
    std::vector<std::string> terms;
    const bool has_keys = block_.sort != nullptr && !block_.sort->keys.empty();
    if (has_keys) {
      for (const SortKey& key : block_.sort->keys) {
        if (!key.order.empty()) return false;
        const DatabaseColumn column = conditions_.column(key.column);
        if (column.support(Function::kSortKey, target_.dialect) != Support::kExact) return false;
        terms.push_back(order_term(by_bytes(column, target_.dialect), key));
      }
    }
    // Rows with equal keys would come in any order if the table has none.
    const bool needs_ties = has_keys && block_.sort->then_by_row && ties_ == Ties::kRefuse;
    if (needs_ties && target_.layout.row_order.empty()) return false;
    // A sort that leaves the order of such rows open gets the same order every time if there is a key.
    if (!target_.layout.row_order.empty()) terms.push_back(target_.layout.row_order);
    if (!terms.empty()) select_.statement.sql += " ORDER BY " + joined_text(terms, ", ");
    return true;
  }

  bool is_group_key(const DatabaseColumn& column) const {
    return column.support(Function::kGroupKey, target_.dialect) == Support::kExact;
  }

  bool distinct_rows() {
    for (const std::size_t i : selected()) {
      if (!is_group_key(conditions_.column(i))) return false;
    }
    return order_outputs(fmt::format("SELECT DISTINCT {} FROM {}{}", select_columns(true), from_, where_));
  }

  bool groups() {
    std::vector<std::string> outputs;
    std::vector<std::string> keys;
    for (const std::size_t i : block_.aggregate->keys) {
      const DatabaseColumn column = conditions_.column(i);
      if (!is_group_key(column)) return false;
      keys.push_back(checked(column, target_.dialect));
      outputs.push_back(fmt::format("{} AS {}", keys.back(), quote_name(column.ours->name)));
      select_.columns.push_back(*column.ours);
    }
    for (const AggregateCall& call : block_.aggregate->calls) {
      const bool counts_rows = call.function == AggregateFunction::kCountRows;
      const DatabaseColumn column = counts_rows ? DatabaseColumn{} : conditions_.column(call.column);
      const std::optional<DatabaseAggregate> printed =
          database_aggregate(call.function, column, target_.dialect);
      if (!printed) return false;
      outputs.push_back(fmt::format("{} AS {}", printed->sql, quote_name(call.name)));
      select_.columns.push_back({.name = call.name, .type = printed->type});
    }
    std::string sql = fmt::format("SELECT {} FROM {}{}", joined_text(outputs, ", "), from_, where_);
    if (!keys.empty()) sql += " GROUP BY " + joined_text(keys, ", ");
    return order_outputs(sql);
  }

  // Groups and distinct rows are sorted by what they yield.
  bool order_outputs(const std::string& inner) {
    std::vector<std::string> terms;
    if (block_.sort != nullptr) {
      for (const SortKey& key : block_.sort->keys) {
        if (!key.order.empty()) return false;
        const Field& output = select_.columns[key.column];
        if (support(Function::kSortKey, class_of(output.type), target_.dialect) != Support::kExact)
          return false;
        terms.push_back(order_term(by_bytes("answer." + quote_name(output.name), output.type), key));
      }
    }
    std::string having;
    if (block_.having != nullptr) {
      const std::optional<std::string> condition =
          group_condition(block_.having->condition, *block_.aggregate, target_, select_.columns,
                          select_.statement.parameters);
      if (!condition) return false;
      having = " WHERE " + *condition;
    }
    std::string list = "*";
    if (block_.aggregate != nullptr && block_.project != nullptr) {
      std::vector<Field> outputs;
      std::vector<std::string> names;
      for (const std::size_t i : block_.project->columns) {
        outputs.push_back(select_.columns[i]);
        names.push_back(quote_name(outputs.back().name));
        if (!has_names()) continue;
        outputs.back().name = block_.project->names[names.size() - 1];
        names.back() += " AS " + quote_name(outputs.back().name);
      }
      select_.columns = std::move(outputs);
      list = joined_text(names, ", ");
    }
    select_.statement.sql = fmt::format("SELECT {} FROM ({}) AS answer{}", list, inner, having);
    if (!terms.empty()) select_.statement.sql += " ORDER BY " + joined_text(terms, ", ");
    select_.table = {};  // A value that does not fit its type does not tell which column of the table it was.
    return true;
  }

  std::string by_bytes(const std::string& name, const Type& type) const {
    if (type.id != TypeId::kText) return name;
    return name + (target_.dialect == Dialect::kPostgres ? " COLLATE \"C\"" : " COLLATE BINARY");
  }
  static std::string by_bytes(const DatabaseColumn& column, Dialect dialect) {
    return plan::by_bytes(column, dialect);
  }

  const Block& block_;
  const Target& target_;
  const Ties ties_;
  engine::Select select_;
  DatabaseConditions conditions_;
  std::string from_;
  std::string where_;
};

// A condition that keeps the same rows and maybe more, if the table of overloads has the one given as such.
std::optional<Condition> superset_of(const Condition& condition, const Target& target) {
  if (condition.column >= target.columns.size()) return std::nullopt;
  const TypeClass type_class = class_of(target.layout.columns[condition.column], target.dialect);
  if (support(function_of(condition), type_class, target.dialect) != Support::kSuperset) return std::nullopt;
  Condition out = condition;
  if (condition.kind == Condition::Kind::kEndsWith) out.kind = Condition::Kind::kContains;
  return out;
}

// Of all that `from` yields.
std::set<std::size_t> block_columns(const Block& block) {
  std::set<std::size_t> out;
  if (block.aggregate != nullptr) {
    out.insert(block.aggregate->keys.begin(), block.aggregate->keys.end());
    for (const AggregateCall& call : block.aggregate->calls) {
      if (call.function != AggregateFunction::kCountRows) out.insert(call.column);
    }
  } else if (block.project != nullptr) {
    out.insert(block.project->columns.begin(), block.project->columns.end());
  } else {
    for (std::size_t i = 0; i < block.scanned().size(); ++i) out.insert(i);
  }
  return out;
}

std::optional<engine::Select> joined_fragment(const Block& block, const Targets& targets) {
  const std::optional<DatabaseJoin> join = database_join(*block.from, targets);
  if (!join) return std::nullopt;
  const Target all{.dialect = targets.begin()->second.dialect,
                   .layout = join->layout,
                   .columns = block.scanned(),
                   .aliases = &join->aliases};
  return FragmentPrinter(block, all, *join).print();
}

}  // namespace

std::optional<engine::Select> fragment(const PhysicalPlan& plan, const Target& target, Ties ties) {
  const std::optional<Block> block = block_of(*plan);
  if (!block) return std::nullopt;
  if (block->is_join()) {  // Of the table with itself.
    Targets targets;
    for (const JoinedScan& scan : joined_scans(*block->from)) targets.emplace(scan.table(), target);
    return joined_fragment(*block, targets);
  }
  if (block->scanned().size() != target.columns.size()) return std::nullopt;
  return FragmentPrinter(*block, target, ties).print();
}

std::optional<engine::Select> fragment(const PhysicalPlan& plan, const Targets& targets) {
  const std::optional<Block> block = block_of(*plan);
  if (!block) return std::nullopt;
  if (block->is_join()) return joined_fragment(*block, targets);
  const auto target = targets.find(std::get<Scan>(block->from->op).table);
  return target == targets.end() ? std::nullopt : fragment(plan, target->second);
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

std::map<std::string, std::set<std::size_t>> columns_read(const Node& plan) {
  std::map<std::string, std::set<std::size_t>> out;
  const std::optional<Block> block = block_of(plan);
  if (!block) return out;
  std::set<std::size_t> columns = block_columns(*block);
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
