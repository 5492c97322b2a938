#include "sluice/records/filter.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/records/columns.h"

#include "operand.h"

namespace sluice::records {

namespace {

using engine::Field;

constexpr std::size_t kConditionsMax = 1'000;
constexpr std::size_t kMembersMax = 10'000;  // Of all lists together.
constexpr std::size_t kPatternOperandBytesMax = 4'096;
constexpr double kFuzzyThreshold = 0.6;
constexpr std::string_view kOperators =
    "$contains $starts_with $ends_with $regex $fuzzy $gt $gte $lt $lte $in $ne";

Error invalid_filter(const Field& column, std::string_view what) {
  return invalid_input(fmt::format("filter on {}: {}", excerpt(column.name), what))
      .with_code("invalid_filter")
      .with_hint(
          fmt::format("A filter is a value, a list of values, or an object of operators: {}.", kOperators));
}

Error too_many(std::string_view what, std::size_t limit) {
  return limit_reached(what, limit).with_code("too_many_values").with_hint("Ask in several calls.");
}

class Compiler {
 public:
  Compiler(const View& view, std::size_t first_parameter) : view_(view), operands_(first_parameter) {}

  Result<Condition> compile(const json::Object& filters) {
    if (filters.size() > kConditionsMax) return too_many("filters", kConditionsMax);
    for (const auto& [name, value] : filters) {
      SLUICE_TRY(const Field* column, find_column(view_.columns, name));
      SLUICE_CHECK(add(*column, value));
    }
    SLUICE_CHECK(operands_.check(*view_.engine));
    Condition out;
    if (!sql_.empty()) out.sql = std::move(sql_);
    out.parameters = std::move(operands_).take();
    return out;
  }

 private:
  Status add(const Field& column, const json::Value& value) {
    if (const json::Object* object = value.if_object(); object != nullptr && !is_a_value(column, *object)) {
      if (object->empty()) return invalid_filter(column, "an operator is missing");
      for (const auto& [name, operand] : *object) {
        SLUICE_TRY(const std::string condition, operation(column, name, operand));
        SLUICE_CHECK(join(condition));
      }
      return {};
    }
    SLUICE_TRY(const std::string condition, value.is_array() ? in(column, value) : equal(column, value));
    return join(condition);
  }

  // An object may be what a cell of a nested column is compared with.
  static bool is_a_value(const Field& column, const json::Object& object) {
    return engine::is_nested(column.type.id) && !object.empty() &&
           std::none_of(object.begin(), object.end(),
                        [](const auto& one) { return one.key.starts_with('$'); });
  }

  Status join(const std::string& condition) {
    if (++conditions_ > kConditionsMax) return too_many("conditions", kConditionsMax);
    sql_ += fmt::format("{}({})", sql_.empty() ? "" : " AND ", condition);
    return {};
  }

  Result<std::string> operation(const Field& column, std::string_view name, const json::Value& operand) {
    if (name == "$gt") return ordered(column, ">", operand);
    if (name == "$gte") return ordered(column, ">=", operand);
    if (name == "$lt") return ordered(column, "<", operand);
    if (name == "$lte") return ordered(column, "<=", operand);
    if (name == "$ne") return different(column, operand);
    if (name == "$in") {
      return operand.is_array() ? in(column, operand) : invalid_filter(column, "$in takes a list");
    }
    if (name == "$contains") return by_text(column, name, operand, "contains(lower({}), lower({}))");
    if (name == "$starts_with") return by_text(column, name, operand, "starts_with(lower({}), lower({}))");
    if (name == "$ends_with") return by_text(column, name, operand, "ends_with(lower({}), lower({}))");
    if (name == "$regex") return regex(column, operand);
    if (name == "$fuzzy") return fuzzy(column, operand);
    return invalid_input(
               fmt::format("filter on {}: unknown operator: {}", excerpt(column.name), excerpt(name)))
        .with_code("unknown_operator")
        .with_hint(fmt::format("Operators: {}. A plain value is equality.", kOperators));
  }

  Result<std::string> equal(const Field& column, const json::Value& value) {
    if (value.is_null()) return engine::quote_name(column.name) + " IS NULL";
    SLUICE_TRY(const std::optional<std::string> operand, operands_.equal_to(column, value));
    return operand ? fmt::format("{} = {}", compared(column), *operand) : std::string("FALSE");
  }

  Result<std::string> different(const Field& column, const json::Value& value) {
    if (value.is_null()) return engine::quote_name(column.name) + " IS NOT NULL";
    SLUICE_TRY(const std::optional<std::string> operand, operands_.equal_to(column, value));
    return operand ? fmt::format("{} IS DISTINCT FROM {}", compared(column), *operand) : std::string("TRUE");
  }

  Result<std::string> ordered(const Field& column, std::string_view sign, const json::Value& value) {
    if (value.is_null()) return wrong_type(column, value);
    SLUICE_TRY(const std::string operand, operands_.ordered_with(column, value));
    return fmt::format("{} {} {}", compared(column), sign, operand);
  }

  Result<std::string> in(const Field& column, const json::Value& list) {
    std::vector<const json::Value*> values;
    for (const json::Value& value : *list.if_array()) {
      if (!value.is_null()) values.push_back(&value);
    }
    members_ += values.size();
    if (members_ > kMembersMax) return too_many("values of lists", kMembersMax);
    SLUICE_TRY(const std::string members, operands_.members(column, values));
    const std::string sql = members.empty() ? "FALSE" : fmt::format("{} IN ({})", compared(column), members);
    const bool with_null = values.size() < list.if_array()->size();
    return with_null ? fmt::format("{} OR {} IS NULL", sql, engine::quote_name(column.name)) : sql;
  }

  // The text that a text operator is given.
  Result<std::string> pattern(const Field& column, std::string_view name, const json::Value& value) const {
    std::optional<std::string> text = scalar_text(value);
    if (!text) return invalid_filter(column, fmt::format("{} takes a text", name));
    if (text->size() > kPatternOperandBytesMax) {
      return limit_reached(fmt::format("filter on {}: bytes of a text to look for", excerpt(column.name)),
                           kPatternOperandBytesMax)
          .with_code("invalid_filter")
          .with_hint("Look for a shorter text, or compare whole values.");
    }
    return *std::move(text);
  }

  Result<std::string> by_text(const Field& column, std::string_view name, const json::Value& value,
                              std::string_view form) {
    SLUICE_TRY(std::string text, pattern(column, name, value));
    return fmt::format(fmt::runtime(form), as_text(column), operands_.bind(std::move(text)));
  }

  Result<std::string> regex(const Field& column, const json::Value& value) {
    SLUICE_TRY(std::string text, pattern(column, "$regex", value));
    const engine::Statement trial{.sql = "SELECT regexp_matches('', $1, 'i')", .parameters = {text}};
    Status status;
    if (const Result<std::unique_ptr<engine::Rows>> rows = view_.engine->query(trial, {}); !rows.ok()) {
      status = rows.error();
    } else if (const auto batch = (*rows)->next(); !batch.ok()) {
      status = batch.error();
    }
    if (!status.ok()) {
      return invalid_input(fmt::format("filter on {}: not a regular expression: {}", excerpt(column.name),
                                       excerpt(text)))
          .with_code("invalid_pattern")
          .with_hint("The syntax is RE2's: no look-around, no back-references, repetitions up to 1000. " +
                     excerpt(status.error().message, 200));
    }
    return fmt::format("regexp_matches({}, {}, 'i')", as_text(column), operands_.bind(std::move(text)));
  }

  Result<std::string> fuzzy(const Field& column, const json::Value& value) {
    const json::Value* wanted = value.is_object() ? value.find("text") : &value;
    if (wanted == nullptr) return invalid_filter(column, "$fuzzy takes a text, or {text, threshold}");
    SLUICE_TRY(std::string text, pattern(column, "$fuzzy", *wanted));
    double threshold = kFuzzyThreshold;
    if (const json::Value* given = value.find("threshold")) {
      const json::Number* number = given->if_number();
      threshold = number == nullptr ? -1 : number->as_double();
      if (!(threshold >= 0 && threshold <= 1))
        return invalid_filter(column, "threshold is a number from 0 to 1");
    }
    const std::string query = operands_.bind(std::move(text));
    return fmt::format("fuzzy_ratio({}, {}) >= CAST({} AS DOUBLE)", query, as_text(column),
                       operands_.bind(threshold));
  }

  const View& view_;
  Operands operands_;
  std::string sql_;
  std::size_t conditions_ = 0;
  std::size_t members_ = 0;
};

}  // namespace

Result<Condition> compile_filters(const json::Object& filters, const View& view,
                                  std::size_t first_parameter) {
  return Compiler(view, first_parameter).compile(filters);
}

}  // namespace sluice::records
