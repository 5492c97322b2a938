#include "block_select.h"

#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "database_aggregate.h"
#include "database_condition.h"
#include "database_scalar.h"
#include "group_condition.h"

namespace sluice::plan {

namespace {

using engine::Dialect;
using engine::Field;
using engine::quote_name;
using engine::Type;
using engine::TypeId;

constexpr std::uint64_t kSelectLimitMax = INT64_MAX;  // Databases count in 64 bits with a sign.

std::string joined_by(const std::vector<std::string>& parts, std::string_view between) {
  return fmt::format("{}", fmt::join(parts, between));
}

std::string order_item(const std::string& sql, const SortKey& key) {
  return fmt::format("{} {} {}", sql, key.descending ? "DESC" : "ASC",
                     key.nulls_first ? "NULLS FIRST" : "NULLS LAST");
}

// Prints one block as a SELECT of the database.
class FragmentPrinter {
 public:
  FragmentPrinter(const Block& block, const Target& target, Ties ties, From from)
      : block_(block),
        target_(target),
        ties_(ties),
        is_answer_(from.is_answer),
        conditions_(target, select_.statement.parameters),
        from_(std::move(from.sql)),
        where_(std::move(from.where)) {
    select_.table = std::move(from.table);
    select_.statement.parameters = std::move(from.parameters);
  }

  std::optional<engine::Select> print() {
    if (block_.first_of_each != nullptr) return std::nullopt;
    for (const Condition* filter : {block_.inner_filter, block_.filter}) {
      if (filter == nullptr) continue;
      const std::optional<std::string> sql = conditions_.print(*filter);
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
    const bool is_limited = block_.limit->rows && *block_.limit->rows < kSelectLimitMax;
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
    return joined_by(out, ", ");
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
    if (block_.is_table() && hides_a_column()) return false;
    select_.statement.sql = fmt::format("SELECT {} FROM {}{}", select_columns(!is_answer_), from_, where_);
    std::vector<std::string> terms;
    const bool has_keys = block_.sort != nullptr && !block_.sort->keys.empty();
    if (has_keys) {
      for (const SortKey& key : block_.sort->keys) {
        if (!key.order.empty()) return false;
        const DatabaseColumn column = conditions_.column(key.column);
        if (column.support(Function::kSortKey, target_.dialect) != Support::kExact) return false;
        terms.push_back(order_item(by_bytes(column, target_.dialect), key));
      }
    }
    // Rows with equal keys would come in any order if the table has none.
    const bool needs_ties = has_keys && block_.sort->then_by_row && ties_ == Ties::kRefuse;
    if (needs_ties && target_.layout.row_order.empty()) return false;
    // A sort that leaves the order of such rows open gets the same order every time if there is a key.
    if (!target_.layout.row_order.empty()) terms.push_back(target_.layout.row_order);
    if (!terms.empty()) select_.statement.sql += " ORDER BY " + joined_by(terms, ", ");
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
    std::string sql = fmt::format("SELECT {} FROM {}{}", joined_by(outputs, ", "), from_, where_);
    if (!keys.empty()) sql += " GROUP BY " + joined_by(keys, ", ");
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
        terms.push_back(order_item(by_bytes("answer." + quote_name(output.name), output.type), key));
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
      list = joined_by(names, ", ");
    }
    select_.statement.sql = fmt::format("SELECT {} FROM ({}) AS answer{}", list, inner, having);
    if (!terms.empty()) select_.statement.sql += " ORDER BY " + joined_by(terms, ", ");
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
  const bool is_answer_;
  engine::Select select_;
  DatabaseConditions conditions_;
  std::string from_;
  std::string where_;
};

}  // namespace

std::optional<engine::Select> block_select(const Block& block, const Target& target, Ties ties, From from) {
  if (block.compute == nullptr) return FragmentPrinter(block, target, ties, std::move(from)).print();
  const std::optional<ComputedColumns> computed =
      computed_columns(*block.compute, block.used(), target, from.parameters);
  if (!computed) return std::nullopt;
  from.table = {};
  const Target all{.dialect = target.dialect,
                   .layout = computed->layout,
                   .columns = block.scanned(),
                   .aliases = target.aliases == nullptr ? nullptr : &computed->aliases};
  return FragmentPrinter(block, all, ties, std::move(from)).print();
}

}  // namespace sluice::plan
