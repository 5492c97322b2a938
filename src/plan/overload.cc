#include "sluice/plan/overload.h"

#include <array>

#include "sqlite_text.h"

namespace sluice::plan {

namespace {

using engine::Dialect;
using engine::Type;
using engine::TypeId;

using ClassSet = std::uint32_t;

constexpr ClassSet set_of(TypeClass type_class) { return ClassSet{1} << static_cast<unsigned>(type_class); }

// The sets that overloads.def is written in.
namespace classes {

constexpr ClassSet kNothing = set_of(TypeClass::kNothing);
constexpr ClassSet kBool = set_of(TypeClass::kBool);
constexpr ClassSet kInteger = set_of(TypeClass::kInteger);
constexpr ClassSet kUInteger = set_of(TypeClass::kUInteger);
constexpr ClassSet kBigint = set_of(TypeClass::kBigint);
constexpr ClassSet kWideInteger = set_of(TypeClass::kWideInteger);
constexpr ClassSet kUInt128 = set_of(TypeClass::kUInt128);
constexpr ClassSet kFloat = set_of(TypeClass::kFloat);
constexpr ClassSet kDouble = set_of(TypeClass::kDouble);
constexpr ClassSet kDecimal = set_of(TypeClass::kDecimal);
constexpr ClassSet kText = set_of(TypeClass::kText);
constexpr ClassSet kDate = set_of(TypeClass::kDate);
constexpr ClassSet kTime = set_of(TypeClass::kTime);
constexpr ClassSet kTimestamp = set_of(TypeClass::kTimestamp);
constexpr ClassSet kTimestampTz = set_of(TypeClass::kTimestampTz);
constexpr ClassSet kUuid = set_of(TypeClass::kUuid);
constexpr ClassSet kBlob = set_of(TypeClass::kBlob);
constexpr ClassSet kInterval = set_of(TypeClass::kInterval);
constexpr ClassSet kUntyped = set_of(TypeClass::kUntyped);
constexpr ClassSet kOther = set_of(TypeClass::kOther);

constexpr ClassSet kCommonKeys = kBool | kBigint | kDouble | kText;  // Of SQLite and PostgreSQL.
constexpr ClassSet kCommonTypes = kCommonKeys | kBlob;
constexpr ClassSet kOrderedInPostgres =
    kInteger | kUInteger | kFloat | kDecimal | kDate | kTime | kTimestamp | kTimestampTz;
constexpr ClassSet kPostgresKeys = kOrderedInPostgres | kUuid;
// Values that PostgreSQL hands on as they are, and whose constants it reads as the engine does.
constexpr ClassSet kScalarsOfPostgres =
    kInteger | kDecimal | kDate | kTime | kTimestamp | kTimestampTz | kUuid;
constexpr ClassSet kPostgresTypes = kPostgresKeys | kInterval | kOther;
constexpr ClassSet kEngineTypes = kWideInteger | kUInt128;  // Of no database.

void add(std::vector<Overload>& out, ClassSet arguments, Overload overload) {
  for (std::size_t i = 0; i < kTypeClasses; ++i) {
    overload.argument = static_cast<TypeClass>(i);
    if ((arguments & set_of(overload.argument)) != 0) out.push_back(overload);
  }
}

std::vector<Overload> read_table() {
  std::vector<Overload> out;
#define OVERLOAD(name, arguments, yields, fails, in_sqlite, in_postgres) \
  add(out, arguments,                                                    \
      {.function = Function::name,                                       \
       .argument = TypeClass::kNothing,                                  \
       .result = ResultType::yields,                                     \
       .failures = Failures::fails,                                      \
       .sqlite = Support::in_sqlite,                                     \
       .postgres = Support::in_postgres});
#include "overloads.def"
#undef OVERLOAD
  return out;
}

}  // namespace classes

constexpr std::array kFunctionNames = {std::string_view("is_null"),
                                       std::string_view("is_not_null"),
                                       std::string_view("equal"),
                                       std::string_view("less"),
                                       std::string_view("in"),
                                       std::string_view("contains"),
                                       std::string_view("starts_with"),
                                       std::string_view("ends_with"),
                                       std::string_view("normalized_contains"),
                                       std::string_view("matches"),
                                       std::string_view("count_rows"),
                                       std::string_view("count"),
                                       std::string_view("count_distinct"),
                                       std::string_view("min"),
                                       std::string_view("max"),
                                       std::string_view("sum"),
                                       std::string_view("avg"),
                                       std::string_view("median"),
                                       std::string_view("bool_and"),
                                       std::string_view("bool_or"),
                                       std::string_view("sum_or_zero"),
                                       std::string_view("count_distinct_with_null"),
                                       std::string_view("group_key"),
                                       std::string_view("sort_key"),
                                       std::string_view("year"),
                                       std::string_view("quarter"),
                                       std::string_view("month"),
                                       std::string_view("day"),
                                       std::string_view("isodow"),
                                       std::string_view("date_trunc"),
                                       std::string_view("coalesce"),
                                       std::string_view("case")};
static_assert(kFunctionNames.size() == kFunctions);

constexpr std::array kClassNames = {
    std::string_view("nothing"),  std::string_view("bool"),      std::string_view("integer"),
    std::string_view("uinteger"), std::string_view("bigint"),    std::string_view("wide_integer"),
    std::string_view("uint128"),  std::string_view("float"),     std::string_view("double"),
    std::string_view("decimal"),  std::string_view("text"),      std::string_view("date"),
    std::string_view("time"),     std::string_view("timestamp"), std::string_view("timestamptz"),
    std::string_view("uuid"),     std::string_view("blob"),      std::string_view("interval"),
    std::string_view("untyped"),  std::string_view("other")};
static_assert(kClassNames.size() == kTypeClasses);

}  // namespace

const std::vector<Overload>& overloads() {
  static const std::vector<Overload> kTable = classes::read_table();
  return kTable;
}

const Overload* find_overload(Function function, TypeClass argument) {
  static const auto kIndex = [] {
    std::array<std::array<const Overload*, kTypeClasses>, kFunctions> out{};
    for (const Overload& overload : overloads())
      out[static_cast<std::size_t>(overload.function)][static_cast<std::size_t>(overload.argument)] =
          &overload;
    return out;
  }();
  return kIndex[static_cast<std::size_t>(function)][static_cast<std::size_t>(argument)];
}

Support support(Function function, TypeClass argument, Dialect dialect) {
  const Overload* overload = find_overload(function, argument);
  return overload == nullptr ? Support::kNone : overload->in(dialect);
}

Type result_type(Function function, const Type& argument) {
  constexpr std::uint8_t kDigitsMax = 38;
  const TypeClass type_class = function == Function::kCountRows ? TypeClass::kNothing : class_of(argument);
  const Overload* overload = find_overload(function, type_class);
  switch (overload == nullptr ? ResultType::kEngineDecides : overload->result) {
    case ResultType::kBoolean:
      return {.id = TypeId::kBool};
    case ResultType::kSame:
      return argument;
    case ResultType::kBigintResult:
      return {.id = TypeId::kInt64};
    case ResultType::kHugeintResult:
      return {.id = TypeId::kInt128};
    case ResultType::kDoubleResult:
      return {.id = TypeId::kDouble};
    case ResultType::kDecimalResult:
      return {.id = TypeId::kDecimal, .width = kDigitsMax, .scale = argument.scale};
    case ResultType::kTimestampResult:
      return {.id = TypeId::kTimestampUs};
    case ResultType::kEngineDecides:
      break;
  }
  return {.id = TypeId::kOther};
}

TypeClass class_of(const Type& type) {
  switch (type.id) {
    case TypeId::kBool:
      return TypeClass::kBool;
    case TypeId::kInt8:
    case TypeId::kInt16:
    case TypeId::kInt32:
    case TypeId::kUInt8:
    case TypeId::kUInt16:
      return TypeClass::kInteger;
    case TypeId::kUInt32:
      return TypeClass::kUInteger;
    case TypeId::kInt64:
      return TypeClass::kBigint;
    case TypeId::kUInt64:
    case TypeId::kInt128:
      return TypeClass::kWideInteger;
    case TypeId::kUInt128:
      return TypeClass::kUInt128;
    case TypeId::kFloat:
      return TypeClass::kFloat;
    case TypeId::kDouble:
      return TypeClass::kDouble;
    case TypeId::kDecimal:
      return TypeClass::kDecimal;
    case TypeId::kText:
      return TypeClass::kText;
    case TypeId::kDate:
      return TypeClass::kDate;
    case TypeId::kTime:
      return TypeClass::kTime;
    case TypeId::kTimestampUs:
      return TypeClass::kTimestamp;
    case TypeId::kTimestampTz:
      return TypeClass::kTimestampTz;
    case TypeId::kUuid:
      return TypeClass::kUuid;
    case TypeId::kBlob:
      return TypeClass::kBlob;
    case TypeId::kInterval:
      return TypeClass::kInterval;
    default:
      return TypeClass::kOther;
  }
}

TypeClass class_of(const engine::TableColumn& column, Dialect dialect) {
  if (dialect != Dialect::kSqlite) return class_of(column.type);
  const bool has_numbers = engine::is_number(column.type.id) || column.type.id == TypeId::kBool;
  if (has_numbers && !has_numeric_affinity(column.declared)) return TypeClass::kUntyped;
  return class_of(column.type);
}

Function function_of(const Condition& condition) {
  switch (condition.kind) {
    case Condition::Kind::kIsNull:
      return Function::kIsNull;
    case Condition::Kind::kCompare:
      return condition.sign == Sign::kEq || condition.sign == Sign::kNeq ? Function::kEqual : Function::kLess;
    case Condition::Kind::kIn:
      return Function::kIn;
    case Condition::Kind::kContains:
      return Function::kContains;
    case Condition::Kind::kStartsWith:
      return Function::kStartsWith;
    case Condition::Kind::kEndsWith:
      return Function::kEndsWith;
    case Condition::Kind::kNormalizedContains:
      return Function::kNormalizedContains;
    case Condition::Kind::kMatches:
      return Function::kMatches;
    case Condition::Kind::kIsNotNull:
    case Condition::Kind::kAlways:
    case Condition::Kind::kNever:
    case Condition::Kind::kAnd:
    case Condition::Kind::kOr:
    case Condition::Kind::kNotTrue:
    case Condition::Kind::kHasElement:
    case Condition::Kind::kIsSimilar:
      break;
  }
  return Function::kIsNotNull;
}

Function function_of(AggregateFunction function) {
  switch (function) {
    case AggregateFunction::kCountRows:
      return Function::kCountRows;
    case AggregateFunction::kCount:
      return Function::kCount;
    case AggregateFunction::kCountDistinct:
      return Function::kCountDistinct;
    case AggregateFunction::kMin:
      return Function::kMin;
    case AggregateFunction::kMax:
      return Function::kMax;
    case AggregateFunction::kSum:
      return Function::kSum;
    case AggregateFunction::kAvg:
      return Function::kAvg;
    case AggregateFunction::kMedian:
      return Function::kMedian;
    case AggregateFunction::kBoolAnd:
      return Function::kBoolAnd;
    case AggregateFunction::kSumOrZero:
      return Function::kSumOrZero;
    case AggregateFunction::kCountDistinctWithNull:
      return Function::kCountDistinctWithNull;
    case AggregateFunction::kBoolOr:
      break;
  }
  return Function::kBoolOr;
}

Function function_of(ScalarFunction function) {
  switch (function) {
    case ScalarFunction::kYear:
      return Function::kYear;
    case ScalarFunction::kQuarter:
      return Function::kQuarter;
    case ScalarFunction::kMonth:
      return Function::kMonth;
    case ScalarFunction::kDay:
      return Function::kDay;
    case ScalarFunction::kIsodow:
      return Function::kIsodow;
    case ScalarFunction::kDateTrunc:
      return Function::kDateTrunc;
    case ScalarFunction::kCoalesce:
      return Function::kCoalesce;
    case ScalarFunction::kCase:
      break;
  }
  return Function::kCase;
}

std::string_view name_of(Function function) { return kFunctionNames[static_cast<std::size_t>(function)]; }

std::string_view name_of(TypeClass type_class) { return kClassNames[static_cast<std::size_t>(type_class)]; }

}  // namespace sluice::plan
