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
constexpr std::size_t kNestingMax = 8;  // Of $and, $or and $not, one inside another.
constexpr std::string_view kOperators =
    "$contains $starts_with $ends_with $regex $fuzzy $gt $gte $lt $lte $between $in $nin $ne $not, and for "
    "lists $has $has_any $has_all";

Error invalid_filter(const Field& column, std::string_view what) {
  return invalid_input(fmt::format("filter on {}: {}", excerpt(column.name), what))
      .with_code("invalid_filter")
      .with_hint(
          fmt::format("A filter is a value, a list of values, or an object of operators: {}.", kOperators));
}

Error invalid_combination(std::string_view what) {
  return invalid_input(fmt::format("filters: {}", what))
      .with_code("invalid_filter")
      .with_hint(
          "{\"$or\": [{\"status\": \"open\"}, {\"priority\": {\"$gt\": 3}}]}: $and and $or take a list of "
          "filters, $not takes one filter. None of them may be empty.");
}

Error too_many_to_filter(std::string_view what, std::size_t limit) {
  return limit_reached(what, limit).with_code("too_many_values").with_hint("Ask in several calls.");
}

bool is_list(const Field& column) {
  return column.type.id == engine::TypeId::kList || column.type.id == engine::TypeId::kArray;
}

// Rows for which the condition is false and rows for which it is unknown, as with `$ne`: a missing value is
// different from every other.
std::string negated(const std::string& condition) { return fmt::format("({}) IS NOT TRUE", condition); }

class Compiler {
 public:
  Compiler(const View& view, std::size_t first_parameter) : view_(view), operands_(first_parameter) {}

  Result<Condition> compile(const json::Object& filters) {
    Condition out;
    if (!filters.empty()) {
      SLUICE_TRY(out.sql, all_of(filters, 0));
    }
    SLUICE_CHECK(operands_.check(*view_.engine));
    out.parameters = std::move(operands_).take();
    return out;
  }

 private:
  // The members of a filter, joined by AND. `depth` counts the logical operators around it.
  Result<std::string> all_of(const json::Object& filters, std::size_t depth) {
    if (filters.size() > kConditionsMax) return too_many_to_filter("filters", kConditionsMax);
    std::string out;
    for (const auto& [name, value] : filters) {
      Result<std::string> condition =
          is_logical(name) ? logical(name, value, depth) : on_column(name, value, depth);
      if (!condition.ok()) return condition;
      out += (out.empty() ? "" : " AND ") + *condition;
    }
    return out;
  }

  static bool is_logical(std::string_view name) { return name == "$and" || name == "$or" || name == "$not"; }

  Result<std::string> logical(std::string_view name, const json::Value& value, std::size_t depth) {
    if (depth == kNestingMax) return too_deep();
    if (name == "$not") {
      SLUICE_TRY(const std::string condition, one_of_several(name, value, depth));
      return counted(negated(condition));
    }
    const json::Array* list = value.if_array();
    if (list == nullptr || list->empty())
      return invalid_combination(fmt::format("{} takes a list of filters that is not empty", name));
    std::string out;
    for (const json::Value& one : *list) {
      SLUICE_TRY(const std::string condition, one_of_several(name, one, depth));
      out += fmt::format("{}({})", out.empty() ? "" : name == "$or" ? " OR " : " AND ", condition);
    }
    return counted(out);
  }

  // An empty filter would hold for every record, and so might the whole: nobody means that.
  Result<std::string> one_of_several(std::string_view name, const json::Value& value, std::size_t depth) {
    const json::Object* filters = value.if_object();
    if (filters == nullptr || filters->empty())
      return invalid_combination(fmt::format("a filter in {} is no object, or is empty", name));
    return all_of(*filters, depth + 1);
  }

  static Error too_deep() {
    return limit_reached("$and, $or and $not inside one another", kNestingMax)
        .with_code("invalid_filter")
        .with_hint("Write the condition with fewer levels.");
  }

  Result<std::string> on_column(const std::string& name, const json::Value& value, std::size_t depth) {
    SLUICE_TRY(const Field* column, find_column(view_.columns, name));
    if (const json::Object* object = value.if_object(); object != nullptr && !is_a_value(*column, *object))
      return by_operators(*column, *object, depth);
    SLUICE_TRY(const std::string condition, value.is_array() ? in(*column, value) : equal(*column, value));
    return counted(condition);
  }

  Result<std::string> by_operators(const Field& column, const json::Object& operators, std::size_t depth) {
    if (operators.empty()) return invalid_filter(column, "an operator is missing");
    std::string out;
    for (const auto& [name, operand] : operators) {
      Result<std::string> condition =
          name == "$not" ? not_on_column(column, operand, depth) : operation(column, name, operand);
      if (!condition.ok()) return condition;
      SLUICE_TRY(const std::string one, counted(*condition));
      out += (out.empty() ? "" : " AND ") + one;
    }
    return out;
  }

  Result<std::string> not_on_column(const Field& column, const json::Value& operand, std::size_t depth) {
    if (depth == kNestingMax) return too_deep();
    const json::Object* object = operand.if_object();
    if (object != nullptr && !is_a_value(column, *object)) {
      SLUICE_TRY(const std::string condition, by_operators(column, *object, depth + 1));
      return negated(condition);
    }
    SLUICE_TRY(const std::string condition,
               operand.is_array() ? in(column, operand) : equal(column, operand));
    return negated(condition);
  }

  // An object may be what a cell of a nested column is compared with.
  static bool is_a_value(const Field& column, const json::Object& object) {
    return engine::is_nested(column.type.id) && !object.empty() &&
           std::none_of(object.begin(), object.end(),
                        [](const auto& one) { return one.key.starts_with('$'); });
  }

  // In parentheses, and counted: a statement has a bound.
  Result<std::string> counted(const std::string& condition) {
    if (++conditions_ > kConditionsMax) return too_many_to_filter("conditions", kConditionsMax);
    return fmt::format("({})", condition);
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
    if (name == "$nin") return not_in(column, operand);
    if (name == "$between") return between(column, operand);
    if (name == "$has" || name == "$has_any" || name == "$has_all") return has(column, name, operand);
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
    if (members_ > kMembersMax) return too_many_to_filter("values of lists", kMembersMax);
    SLUICE_TRY(const std::string members, operands_.members(column, values));
    const std::string sql = members.empty() ? "FALSE" : fmt::format("{} IN ({})", compared(column), members);
    const bool with_null = values.size() < list.if_array()->size();
    return with_null ? fmt::format("{} OR {} IS NULL", sql, engine::quote_name(column.name)) : sql;
  }

  // An empty list would hold for every record, which a list that was computed may be by accident.
  Result<std::string> not_in(const Field& column, const json::Value& operand) {
    const json::Array* list = operand.if_array();
    if (list == nullptr || list->empty())
      return invalid_filter(column, "$nin takes a list that is not empty");
    SLUICE_TRY(const std::string condition, in(column, operand));
    return negated(condition);
  }

  Result<std::string> between(const Field& column, const json::Value& operand) {
    const json::Array* bounds = operand.if_array();
    if (bounds == nullptr || bounds->size() != 2)
      return invalid_filter(column, "$between takes a list of two values, both inclusive");
    SLUICE_TRY(const std::string least, ordered(column, ">=", (*bounds)[0]));
    SLUICE_TRY(const std::string most, ordered(column, "<=", (*bounds)[1]));
    return fmt::format("({}) AND ({})", least, most);
  }

  // Which elements a list has.
  Result<std::string> has(const Field& column, std::string_view name, const json::Value& operand) {
    if (!is_list(column))
      return invalid_filter(column, fmt::format("{} needs a column of lists, it is {}", name,
                                                excerpt(engine::sql_name(column.type))));
    const json::Array single{operand};
    const json::Array* wanted = name == "$has" ? &single : operand.if_array();
    if (wanted == nullptr || wanted->empty())
      return invalid_filter(column, fmt::format("{} takes a list that is not empty", name));
    members_ += wanted->size();
    if (members_ > kMembersMax) return too_many_to_filter("values of lists", kMembersMax);
    const Field element{.name = column.name, .type = column.type.fields.front().type};
    const bool is_cast = compared(element) != engine::quote_name(column.name);  // Compared as text.
    const std::string list = fmt::format("CAST({} AS {}[])", engine::quote_name(column.name),
                                         is_cast ? "VARCHAR" : engine::sql_name(element.type));
    std::string out;
    for (const json::Value& value : *wanted) {
      if (value.is_null()) return wrong_type(column, value);
      SLUICE_TRY(const std::optional<std::string> one, operands_.equal_to(element, value));
      out += fmt::format("{}{}",
                         out.empty()          ? ""
                         : name == "$has_any" ? " OR "
                                              : " AND ",
                         one ? fmt::format("list_contains({}, {})", list, *one) : std::string("FALSE"));
    }
    return out;
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
  std::size_t conditions_ = 0;
  std::size_t members_ = 0;
};

}  // namespace

Result<Condition> compile_filters(const json::Object& filters, const View& view,
                                  std::size_t first_parameter) {
  return Compiler(view, first_parameter).compile(filters);
}

}  // namespace sluice::records
