#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sluice/engine/database.h"
#include "sluice/plan/plan.h"

namespace sluice::plan {

// What a plan computes of one argument: conditions, aggregates, keys and scalar functions.
enum class Function : std::uint8_t {
  kIsNull,
  kIsNotNull,
  kEqual,  // = and <>.
  kLess,   // <, <=, > and >=.
  kIn,
  kContains,
  kStartsWith,
  kEndsWith,
  kNormalizedContains,
  kMatches,
  kCountRows,
  kCount,
  kCountDistinct,
  kMin,
  kMax,
  kSum,
  kAvg,
  kMedian,
  kBoolAnd,
  kBoolOr,
  kSumOrZero,
  kCountDistinctWithNull,
  kGroupKey,
  kSortKey,
  kYear,
  kQuarter,
  kMonth,
  kDay,
  kIsodow,
  kDateTrunc,
  kCoalesce,
  kCase,
};
inline constexpr std::size_t kFunctions = 32;

// Types that every function treats alike.
enum class TypeClass : std::uint8_t {
  kNothing,  // No argument: count(*).
  kBool,
  kInteger,   // Of up to 32 bits, without kUInteger.
  kUInteger,  // 32 bits without a sign.
  kBigint,
  kWideInteger,  // UBIGINT and HUGEINT.
  kUInt128,
  kFloat,
  kDouble,
  kDecimal,
  kText,
  kDate,
  kTime,
  kTimestamp,  // In microseconds, without a zone.
  kTimestampTz,
  kUuid,
  kBlob,
  kInterval,
  kUntyped,  // SQLite: numbers in a column that does not make numbers of texts, and what is computed.
  kOther,
};
inline constexpr std::size_t kTypeClasses = 20;

// The type of what a function yields.
enum class ResultType : std::uint8_t {
  kBoolean,
  kSame,  // That of the argument.
  kBigintResult,
  kHugeintResult,
  kDoubleResult,
  kDecimalResult,  // 38 digits, with the scale of the argument.
  kTimestampResult,
  kEngineDecides,
};

enum class Failures : std::uint8_t { kNeverFails, kMayFail };

// How a database computes it, compared with the engine.
enum class Support : std::uint8_t {
  kNone,
  kSuperset,  // A condition that keeps all the rows that this one keeps, and maybe more.
  kExact,
};

struct Overload {
  Function function = Function::kIsNull;
  TypeClass argument = TypeClass::kNothing;
  ResultType result = ResultType::kEngineDecides;
  Failures failures = Failures::kMayFail;
  Support sqlite = Support::kNone;
  Support postgres = Support::kNone;

  Support in(engine::Dialect dialect) const {
    return dialect == engine::Dialect::kSqlite ? sqlite : postgres;
  }
};

// The table of overloads.def, one for each function and class of types.
const std::vector<Overload>& overloads();
// Null if there is none.
const Overload* find_overload(Function function, TypeClass argument);
Support support(Function function, TypeClass argument, engine::Dialect dialect);
// The type of the result for an argument of this type; kOther if only the engine knows.
engine::Type result_type(Function function, const engine::Type& argument);

TypeClass class_of(const engine::Type& type);
// As a database sees the column. One without a name is computed.
TypeClass class_of(const engine::TableColumn& column, engine::Dialect dialect);

// Of a condition on a column.
Function function_of(const Condition& condition);
Function function_of(AggregateFunction function);
Function function_of(ScalarFunction function);

std::string_view name_of(Function function);
std::string_view name_of(TypeClass type_class);

}  // namespace sluice::plan
