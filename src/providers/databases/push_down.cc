#include "push_down.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sluice/query/knobs.h"

#include "condition.h"

namespace sluice::databases {

namespace {

using engine::Dialect;
using engine::Field;
using engine::quote_name;
using engine::Type;
using engine::TypeId;
using expression::Aggregate;
using expression::AggregateFn;
using expression::Knobs;

constexpr std::uint64_t kLimitMax = INT64_MAX;  // Databases count in 64 bits with a sign.

std::string join(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += between;
    out += part;
  }
  return out;
}

// Types that all engines compare alike.
bool is_comparable(TypeId id) {
  return engine::is_number(id) || engine::is_temporal(id) || id == TypeId::kText || id == TypeId::kBool ||
         id == TypeId::kUuid;
}

// An aggregate in the words of the database, and what it yields.
struct Pushed {
  std::string sql;
  Type type;
};

class Compiler {
 public:
  Compiler(const Knobs* knobs, const Target& target, Ties ties = Ties::kRefuse)
      : knobs_(knobs), target_(target), ties_(ties) {
    select_.table = target.layout.summary.name;
  }

  std::optional<engine::Select> whole() {
    if (knobs_->deduplicate || !all_conditions()) return std::nullopt;
    const bool done = knobs_->grouped ? grouped() : plain();
    if (!done) return std::nullopt;
    const bool is_limited = knobs_->limit && *knobs_->limit < kLimitMax;
    if (is_limited) select_.statement.sql += fmt::format(" LIMIT {}", *knobs_->limit + 1);
    if (!is_limited && knobs_->offset > 0 && target_.dialect == Dialect::kSqlite)
      select_.statement.sql += " LIMIT -1";  // SQLite has no OFFSET alone.
    if (knobs_->offset > 0) select_.statement.sql += fmt::format(" OFFSET {}", knobs_->offset);
    return std::move(select_);
  }

  engine::Select rows(const std::vector<std::size_t>& wanted, bool is_ordered) {
    if (knobs_ != nullptr) {
      for (const expression::Filter& filter : knobs_->filters) add_condition(filter);
    }
    std::vector<std::string> selected;
    for (const std::size_t i : wanted) {
      selected.push_back(target_.layout.columns[i].select);
      // What is learned of a column is remembered under its own name.
      select_.columns.push_back({.name = target_.layout.columns[i].name, .type = target_.columns[i].type});
    }
    if (selected.empty()) {
      selected.emplace_back("1");
      select_.columns.push_back({.name = "one", .type = {.id = TypeId::kInt32}});
    }
    select_.statement.sql = fmt::format("SELECT {} FROM {}{}", join(selected, ", "), table(), where());
    if (is_ordered && !target_.layout.row_order.empty())
      select_.statement.sql += " ORDER BY " + target_.layout.row_order;
    return std::move(select_);
  }

 private:
  std::string table() const { return engine::quote_table(target_.layout.summary.name); }
  std::string where() const { return conditions_.empty() ? "" : " WHERE " + join(conditions_, " AND "); }

  std::optional<PushedColumn> column(std::string_view name) const {
    for (std::size_t i = 0; i < target_.columns.size(); ++i) {
      if (target_.columns[i].name == name)
        return PushedColumn{.theirs = &target_.layout.columns[i], .ours = &target_.columns[i]};
    }
    return std::nullopt;
  }

  bool add_condition(const expression::Filter& filter) {
    const std::optional<PushedColumn> found = column(filter.column);
    if (!found) return false;
    std::optional<std::string> sql =
        condition_of(filter, *found, target_.dialect, select_.statement.parameters);
    if (!sql) return false;
    conditions_.push_back(*std::move(sql));
    return true;
  }

  bool all_conditions() {
    for (const expression::Filter& filter : knobs_->filters) {
      if (!add_condition(filter)) return false;
    }
    return true;
  }

  void drop_nulls(const PushedColumn& found) {
    if (knobs_->drop_nulls) conditions_.push_back(found.theirs->select + " IS NOT NULL");
  }

  // The column where its values do not show in the answer. SQLite's columns may hold what does not fit the
  // type that a sample told: that must not pass unnoticed.
  std::string checked(const PushedColumn& found) const {
    if (target_.dialect != Dialect::kSqlite) return by_bytes(found, target_.dialect);
    const TypeId id = found.ours->type.id;
    const std::string_view type = id == TypeId::kInt64    ? "integer"
                                  : id == TypeId::kDouble ? "real"
                                  : id == TypeId::kBool   ? "boolean"
                                                          : "";
    if (type.empty()) return by_bytes(found, target_.dialect);
    return fmt::format("fitting({}, '{}')", found.theirs->select, type);
  }

  std::string ordered(const std::string& name, const Type& type) const {
    if (type.id != TypeId::kText) return name;
    return name + (target_.dialect == Dialect::kPostgres ? " COLLATE \"C\"" : " COLLATE BINARY");
  }

  std::string order_term(const std::string& sql, bool descending) const {
    return sql + (descending ? " DESC NULLS LAST" : " ASC NULLS LAST");
  }

  bool plain() {
    std::vector<std::string> names = knobs_->columns;
    if (names.empty()) {
      for (const Field& field : target_.columns) names.push_back(field.name);
    }
    std::vector<std::string> selected;
    std::set<std::string> seen;
    for (const std::string& name : names) {
      const std::optional<PushedColumn> found = column(name);
      if (!found) return false;
      if (!seen.insert(name).second) continue;
      if (knobs_->distinct && !is_comparable(found->ours->type.id)) return false;
      drop_nulls(*found);
      selected.push_back(fmt::format("{} AS {}", knobs_->distinct ? checked(*found) : found->theirs->select,
                                     quote_name(name)));
      select_.columns.push_back(*found->ours);
    }
    const std::string list = join(selected, ", ");
    if (knobs_->distinct)
      return around(fmt::format("SELECT DISTINCT {} FROM {}{}", list, table(), where()),
                    select_.columns.size());
    select_.statement.sql = fmt::format("SELECT {} FROM {}{}", list, table(), where());
    std::vector<std::string> terms;
    for (const expression::Order& order : knobs_->order_by) {
      const std::optional<PushedColumn> found = column(order.column);
      if (!found || !is_comparable(found->ours->type.id)) return false;
      terms.push_back(order_term(by_bytes(*found, target_.dialect), order.descending));
    }
    // Ties would come in any order where the table has none of its own.
    if (ties_ == Ties::kRefuse && !terms.empty() && target_.layout.row_order.empty()) return false;
    if (!target_.layout.row_order.empty()) terms.push_back(target_.layout.row_order);
    if (!terms.empty()) select_.statement.sql += " ORDER BY " + join(terms, ", ");
    return true;
  }

  bool grouped() {
    std::vector<std::string> outputs;
    std::vector<std::string> keys;
    std::set<std::string> seen;
    for (const std::string& name : knobs_->group_by) {
      const std::optional<PushedColumn> found = column(name);
      if (!found || !is_comparable(found->ours->type.id)) return false;
      drop_nulls(*found);
      if (!seen.insert(name).second) continue;
      keys.push_back(checked(*found));
      outputs.push_back(fmt::format("{} AS {}", keys.back(), quote_name(name)));
      select_.columns.push_back(*found->ours);
    }
    const std::size_t key_count = keys.size();
    std::vector<Aggregate> aggregates = knobs_->aggregates;
    if (aggregates.empty()) aggregates.push_back({.fn = AggregateFn::kCount});
    for (const Aggregate& aggregate : aggregates) {
      const std::optional<Pushed> pushed = push(aggregate);
      if (!pushed) return false;
      const std::string name = query::output_name(aggregate);
      if (!seen.insert(name).second) continue;
      outputs.push_back(fmt::format("{} AS {}", pushed->sql, quote_name(name)));
      select_.columns.push_back({.name = name, .type = pushed->type});
    }
    std::string sql = fmt::format("SELECT {} FROM {}{}", join(outputs, ", "), table(), where());
    if (!keys.empty()) sql += " GROUP BY " + join(keys, ", ");
    return around(sql, key_count);
  }

  // Groups and distinct rows: by what was asked, then by their keys, which are the first of the columns.
  bool around(const std::string& inner, std::size_t keys) {
    std::vector<std::string> terms;
    for (const expression::Order& order : knobs_->order_by) {
      const Field* output = nullptr;
      for (const Field& field : select_.columns) {
        if (field.name == order.column) output = &field;
      }
      if (output == nullptr || !is_comparable(output->type.id)) return false;
      terms.push_back(order_term(ordered(quote_name(output->name), output->type), order.descending));
    }
    for (std::size_t i = 0; i < keys; ++i) {
      const Field& key = select_.columns[i];
      terms.push_back(order_term(ordered(quote_name(key.name), key.type), false));
    }
    select_.statement.sql = fmt::format("SELECT * FROM ({}) AS answer", inner);
    if (!terms.empty()) select_.statement.sql += " ORDER BY " + join(terms, ", ");
    select_.table = {};  // What does not fit its type is no fault of the table's.
    return true;
  }

  std::optional<Pushed> push(const Aggregate& aggregate) {
    constexpr Type kCount{.id = TypeId::kInt64};
    if (aggregate.column.empty()) return Pushed{.sql = "count(*)", .type = kCount};
    const std::optional<PushedColumn> found = column(aggregate.column);
    if (!found) return std::nullopt;
    drop_nulls(*found);
    const Type& type = found->ours->type;
    const std::string& select = found->theirs->select;
    switch (aggregate.fn) {
      case AggregateFn::kCount:
        return Pushed{.sql = fmt::format("count({})", select), .type = kCount};
      case AggregateFn::kCountDistinct:
        if (!is_comparable(type.id)) return std::nullopt;
        return Pushed{.sql = fmt::format("count(DISTINCT {})", checked(*found)), .type = kCount};
      case AggregateFn::kMin:
      case AggregateFn::kMax:
        return extreme(aggregate.fn == AggregateFn::kMin ? "min" : "max", *found);
      case AggregateFn::kSum:
        return sum(*found);
      case AggregateFn::kAvg:
      case AggregateFn::kMedian:
        return middle(aggregate.fn, *found);
    }
    return std::nullopt;
  }

  std::optional<Pushed> extreme(std::string_view name, const PushedColumn& found) const {
    const TypeId id = found.ours->type.id;
    // PostgreSQL has no least boolean or uuid.
    if (!is_comparable(id) || id == TypeId::kBool || id == TypeId::kUuid) return std::nullopt;
    return Pushed{.sql = fmt::format("{}({})", name, checked(found)), .type = found.ours->type};
  }

  // SQLite adds in 64 bits, and floating point without compensation; what it saves is not worth other digits.
  // Over a wire it is.
  std::optional<Pushed> sum(const PushedColumn& found) const {
    if (target_.dialect != Dialect::kPostgres) return std::nullopt;
    const Type& type = found.ours->type;
    const std::string sql = fmt::format("sum({})", as_number(found));
    if (engine::is_integer(type.id))
      return Pushed{.sql = sql + "::numeric(38,0)", .type = {.id = TypeId::kInt128}};
    if (type.id == TypeId::kDecimal) {
      return Pushed{.sql = fmt::format("{}::numeric(38,{})", sql, type.scale),
                    .type = {.id = TypeId::kDecimal, .width = 38, .scale = type.scale}};
    }
    if (type.id == TypeId::kDouble) return Pushed{.sql = sql, .type = type};
    return std::nullopt;
  }

  // PostgreSQL computes nothing with the numbers of its objects as they are.
  static std::string as_number(const PushedColumn& found) {
    return found.theirs->select + (found.ours->type.id == TypeId::kUInt32 ? "::bigint" : "");
  }

  // SQLite has no NaN, which the mean of two infinities is, and no exact half of a wide integer.
  std::optional<Pushed> middle(AggregateFn fn, const PushedColumn& found) const {
    if (target_.dialect != Dialect::kPostgres) return std::nullopt;
    const Type& type = found.ours->type;
    if (!engine::is_integer(type.id) && type.id != TypeId::kDouble) return std::nullopt;
    const std::string select = as_number(found);
    if (fn == AggregateFn::kMedian) return median(type, select);
    // That of integers is exact until it is rounded. Its own of floating point adds squares, which are too
    // large for a double where the numbers are far from it.
    const bool is_float = type.id == TypeId::kDouble;
    return Pushed{.sql = is_float ? fmt::format("sum({0}) / count({0})", select)
                                  : fmt::format("avg({})::double precision", select),
                  .type = {.id = TypeId::kDouble}};
  }

  // As the engine computes it: from the two values in the middle, exactly if a double has too few digits. An
  // infinite value stays infinite.
  static std::optional<Pushed> median(const Type& type, const std::string& select) {
    constexpr std::string_view kLower = "0.5";
    constexpr std::string_view kUpper = "0.5000000000582077";  // The upper of two, see query::compile.
    const auto value_at = [&](std::string_view fraction, std::string_view cast) {
      return fmt::format("(percentile_disc({}) WITHIN GROUP (ORDER BY {}))::{}", fraction, select, cast);
    };
    if (type.id == TypeId::kInt64) {
      return Pushed{.sql = fmt::format("(({} + {}) * 0.5)::numeric(22,1)", value_at(kLower, "numeric"),
                                       value_at(kUpper, "numeric")),
                    .type = {.id = TypeId::kDecimal, .width = 22, .scale = 1}};
    }
    if (type.id == TypeId::kUInt64 || type.id == TypeId::kInt128 || type.id == TypeId::kUInt128)
      return std::nullopt;
    return Pushed{
        .sql = fmt::format("CASE WHEN {0} = {1} THEN {0} ELSE {0} * 0.5 + {1} * 0.5 END",
                           value_at(kLower, "double precision"), value_at(kUpper, "double precision")),
        .type = {.id = TypeId::kDouble}};
  }

  const Knobs* knobs_;
  const Target& target_;
  const Ties ties_;
  engine::Select select_;
  std::vector<std::string> conditions_;
};

}  // namespace

std::optional<engine::Select> push_down(const Knobs& knobs, const Target& target, Ties ties) {
  return Compiler(&knobs, target, ties).whole();
}

engine::Select scan(const ScanOptions& options, const Target& target,
                    const std::vector<std::size_t>& wanted) {
  return Compiler(options.knobs, target).rows(wanted, options.is_ordered);
}

std::vector<std::size_t> used_columns(const Knobs& knobs, const Target& target) {
  std::set<std::string_view> names(knobs.columns.begin(), knobs.columns.end());
  names.insert(knobs.group_by.begin(), knobs.group_by.end());
  for (const Aggregate& aggregate : knobs.aggregates) names.insert(aggregate.column);
  const bool uses_all = !knobs.grouped && knobs.columns.empty();
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < target.columns.size(); ++i) {
    if (uses_all || names.contains(target.columns[i].name)) out.push_back(i);
  }
  return out;
}

}  // namespace sluice::databases
