#include "database_scalar.h"

#include <utility>

#include <fmt/format.h>

#include "sluice/plan/overload.h"

#include "database_aggregate.h"
#include "database_condition.h"
#include "database_values.h"
#include "sqlite_text.h"

namespace sluice::plan {

namespace {

using engine::Dialect;
using engine::TypeId;

// PostgreSQL counts years before Christ without a year 0, and the year of an infinite date is infinite.
std::string postgres_year(const std::string& date) {
  return fmt::format(
      "(CASE WHEN isfinite({0}) THEN extract(year FROM {0}) + CASE WHEN {0} < '0001-01-01' THEN 1 ELSE 0 END "
      "END)::bigint",
      date);
}

std::string_view field_of(ScalarFunction function) {
  switch (function) {
    case ScalarFunction::kQuarter:
      return "quarter";
    case ScalarFunction::kMonth:
      return "month";
    case ScalarFunction::kDay:
      return "day";
    default:
      return "isodow";
  }
}

class ScalarPrinter {
 public:
  ScalarPrinter(const Node& compute, const Target& target, std::vector<engine::Parameter>& parameters)
      : calls_(std::get<Compute>(compute.op).calls),
        first_(target.columns.size()),
        target_{.dialect = target.dialect,
                .layout = out_.layout,
                .columns = compute.columns,
                .aliases = target.aliases == nullptr ? nullptr : &out_.aliases},
        parameters_(parameters),
        conditions_(target_, parameters) {
    out_.layout = target.layout;
    if (target.aliases != nullptr) out_.aliases = *target.aliases;
    for (const ScalarCall& call : calls_) {
      engine::TableColumn column{.name = {}, .type = call.type};
      // Of SQLite: the value has been checked to be of its type.
      column.declared = call.type.id == TypeId::kText ? "TEXT" : "NUMERIC";
      out_.layout.columns.push_back(std::move(column));
      if (target.aliases != nullptr) out_.aliases.emplace_back();
    }
  }

  std::optional<ComputedColumns> print(const std::set<std::size_t>& used) {
    std::set<std::size_t> wanted = used;
    for (std::size_t i = calls_.size(); i-- > 0;) {
      if (!wanted.contains(first_ + i)) continue;
      for (const std::size_t column : columns_of(calls_[i])) wanted.insert(column);
    }
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (!wanted.contains(first_ + i)) continue;
      std::optional<std::string> sql = call_sql(calls_[i]);
      if (!sql) return std::nullopt;
      out_.layout.columns[first_ + i].select = *std::move(sql);
    }
    return std::move(out_);
  }

 private:
  bool is_supported(const ScalarCall& call) const {
    const TypeClass argument =
        is_date_function(call.function)
            ? class_of(target_.layout.columns[*call.arguments.front().column], target_.dialect)
            : class_of(call.type);
    return support(function_of(call.function), argument, target_.dialect) == Support::kExact;
  }

  std::optional<std::string> call_sql(const ScalarCall& call) {
    if (!is_supported(call)) return std::nullopt;
    if (call.function == ScalarFunction::kCase) return case_sql(call);
    std::string list;
    for (const Argument& argument : call.arguments) {
      const std::optional<std::string> sql = argument_sql(argument, call.type);
      if (!sql) return std::nullopt;
      list += (list.empty() ? "" : ", ") + *sql;
    }
    if (call.function == ScalarFunction::kCoalesce)
      return with_collation(fmt::format("coalesce({})", list), call.type);
    // Only PostgreSQL has dates.
    if (call.function == ScalarFunction::kYear) return postgres_year(list);
    if (call.function == ScalarFunction::kDateTrunc)
      return fmt::format("date_trunc('{}', ({})::timestamp)", name_of(call.part), list);
    return fmt::format("extract({} FROM {})::bigint", field_of(call.function), list);
  }

  std::optional<std::string> case_sql(const ScalarCall& call) {
    std::string out = "CASE";
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const bool is_else = i == call.conditions.size();
      const std::optional<std::string> when = is_else ? std::string() : conditions_.print(call.conditions[i]);
      if (!when) return std::nullopt;
      const std::optional<std::string> then = argument_sql(call.arguments[i], call.type);
      if (!then) return std::nullopt;
      out += is_else ? fmt::format(" ELSE {} END", *then) : fmt::format(" WHEN {} THEN {}", *when, *then);
    }
    return with_collation(out, call.type);
  }

  std::optional<std::string> argument_sql(const Argument& argument, const engine::Type& type) {
    if (argument.constant) return bind_value(argument.constant->operand, type, target_.dialect, parameters_);
    if (!argument.column) return "NULL";
    const DatabaseColumn column = conditions_.column(*argument.column);
    if (target_.dialect == Dialect::kPostgres) return column.theirs->select;
    return column.ours->type.id == TypeId::kText ? sqlite_shown(column) : checked(column, target_.dialect);
  }

  // Columns of several collations give a text without one, which PostgreSQL does not compare.
  std::string with_collation(const std::string& sql, const engine::Type& type) const {
    const bool needs_one = type.id == TypeId::kText && target_.dialect == Dialect::kPostgres;
    return needs_one ? fmt::format("(({}) COLLATE \"C\")", sql) : fmt::format("({})", sql);
  }

  const std::vector<ScalarCall>& calls_;
  const std::size_t first_;
  ComputedColumns out_;
  const Target target_;  // With the columns that have been printed.
  std::vector<engine::Parameter>& parameters_;
  DatabaseConditions conditions_;
};

}  // namespace

std::optional<ComputedColumns> computed_columns(const Node& compute, const std::set<std::size_t>& used,
                                                const Target& target,
                                                std::vector<engine::Parameter>& parameters) {
  return ScalarPrinter(compute, target, parameters).print(used);
}

}  // namespace sluice::plan
