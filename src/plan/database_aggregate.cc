#include "database_aggregate.h"

#include <fmt/format.h>

namespace sluice::plan {

namespace {

using engine::Dialect;
using engine::Type;
using engine::TypeId;

// PostgreSQL does not compute with object identifiers as they are.
std::string as_number(const DatabaseColumn& column) {
  return column.theirs->select + (column.ours->type.id == TypeId::kUInt32 ? "::bigint" : "");
}

DatabaseAggregate postgres_sum(AggregateFunction function, const DatabaseColumn& column) {
  const Type& type = column.ours->type;
  std::string sql = fmt::format("sum({})", as_number(column));
  if (function == AggregateFunction::kSumOrZero) sql = fmt::format("coalesce({}, 0)", sql);
  if (engine::is_integer(type.id)) return {.sql = sql + "::numeric(38,0)", .type = {.id = TypeId::kInt128}};
  if (type.id == TypeId::kDecimal) {
    return {.sql = fmt::format("{}::numeric(38,{})", sql, type.scale),
            .type = {.id = TypeId::kDecimal, .width = 38, .scale = type.scale}};
  }
  return {.sql = sql, .type = type};
}

// PostgreSQL fails if a product of numbers that are not zero is zero: half of the least double is.
std::string half_of(const std::string& number) {
  return fmt::format("{0} * CASE WHEN abs({0}) < 1e-323 THEN 0 ELSE 0.5 END", number);
}

// PostgreSQL's own average of doubles adds squares, which overflow for numbers that are far from the largest.
// A quotient that rounds to zero is an error there, too.
std::string average_of_doubles(const std::string& select) {
  return fmt::format(
      "CASE WHEN abs(sum({0})) < 1 AND abs(sum({0})) * 2 <= count({0}) * 5e-324::double precision THEN "
      "sum({0}) * 0 ELSE sum({0}) / count({0}) END",
      select);
}

// PostgreSQL's own average of integers is cut to some 16 digits, and then rounded again. The engine divides
// sums of integers of up to 32 bits in double precision.
std::string average_of_integers(const std::string& select) {
  return fmt::format("sum({0})::double precision / count({0})", select);
}

// As the engine computes it: from the two values in the middle, exactly if a double has too few digits. An
// infinite value stays infinite.
DatabaseAggregate postgres_median(const Type& type, const std::string& select) {
  constexpr std::string_view kLower = "0.5";
  constexpr std::string_view kUpper = "0.5000000000582077";  // The upper of two, as in engine_sql.cc.
  const auto value_at = [&](std::string_view fraction, std::string_view cast) {
    return fmt::format("(percentile_disc({}) WITHIN GROUP (ORDER BY {}))::{}", fraction, select, cast);
  };
  if (type.id == TypeId::kInt64) {
    return {.sql = fmt::format("(({} + {}) * 0.5)::numeric(22,1)", value_at(kLower, "numeric"),
                               value_at(kUpper, "numeric")),
            .type = {.id = TypeId::kDecimal, .width = 22, .scale = 1}};
  }
  const std::string lower = value_at(kLower, "double precision");
  const std::string upper = value_at(kUpper, "double precision");
  return {.sql = fmt::format("CASE WHEN count({}) % 2 = 1 THEN {} ELSE {} + {} END", select, lower,
                             half_of(lower), half_of(upper)),
          .type = {.id = TypeId::kDouble}};
}

DatabaseAggregate postgres_average(const Type& type, const std::string& select) {
  return {.sql = type.id == TypeId::kDouble ? average_of_doubles(select) : average_of_integers(select),
          .type = {.id = TypeId::kDouble}};
}

// SQLite's booleans are the numbers 0 and 1.
std::string boolean_call(AggregateFunction function, const DatabaseColumn& column, Dialect dialect) {
  const bool is_and = function == AggregateFunction::kBoolAnd;
  const std::string_view name =
      dialect == Dialect::kSqlite ? (is_and ? "min" : "max") : (is_and ? "bool_and" : "bool_or");
  return fmt::format("{}({})", name, checked(column, dialect));
}

}  // namespace

std::string checked(const DatabaseColumn& column, Dialect dialect) {
  if (dialect != Dialect::kSqlite) return by_bytes(column, dialect);
  const TypeId id = column.ours->type.id;
  const std::string_view type = id == TypeId::kInt64    ? "integer"
                                : id == TypeId::kDouble ? "real"
                                : id == TypeId::kBool   ? "boolean"
                                                        : "";
  if (type.empty()) return by_bytes(column, dialect);
  return fmt::format("fitting({}, '{}')", column.theirs->select, type);
}

std::optional<DatabaseAggregate> database_aggregate(AggregateFunction function, const DatabaseColumn& column,
                                                    Dialect dialect) {
  constexpr Type kCount{.id = TypeId::kInt64};
  if (function == AggregateFunction::kCountRows) return DatabaseAggregate{.sql = "count(*)", .type = kCount};
  if (column.support(function_of(function), dialect) != Support::kExact) return std::nullopt;
  const Type& type = column.ours->type;
  switch (function) {
    case AggregateFunction::kCountRows:
    case AggregateFunction::kCount:
      return DatabaseAggregate{.sql = fmt::format("count({})", column.theirs->select), .type = kCount};
    case AggregateFunction::kCountDistinct:
      return DatabaseAggregate{.sql = fmt::format("count(DISTINCT {})", checked(column, dialect)),
                               .type = kCount};
    case AggregateFunction::kCountDistinctWithNull:
      return DatabaseAggregate{
          .sql = fmt::format("count(DISTINCT {0}) + CASE WHEN count(*) > count({0}) THEN 1 ELSE 0 END",
                             checked(column, dialect)),
          .type = kCount};
    case AggregateFunction::kMin:
      return DatabaseAggregate{.sql = fmt::format("min({})", checked(column, dialect)), .type = type};
    case AggregateFunction::kMax:
      return DatabaseAggregate{.sql = fmt::format("max({})", checked(column, dialect)), .type = type};
    case AggregateFunction::kSum:
    case AggregateFunction::kSumOrZero:
      return postgres_sum(function, column);
    case AggregateFunction::kAvg:
      return postgres_average(type, as_number(column));
    case AggregateFunction::kMedian:
      return postgres_median(type, as_number(column));
    case AggregateFunction::kBoolAnd:
    case AggregateFunction::kBoolOr:
      return DatabaseAggregate{.sql = boolean_call(function, column, dialect), .type = type};
  }
  return std::nullopt;
}

}  // namespace sluice::plan
