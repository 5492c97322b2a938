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
using plan::Condition;
using plan::Sign;

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

Error too_deep() {
  return limit_reached("$and, $or and $not inside one another", kNestingMax)
      .with_code("invalid_filter")
      .with_hint("Write the condition with fewer levels.");
}

bool is_list(const Field& column) {
  return column.type.id == engine::TypeId::kList || column.type.id == engine::TypeId::kArray;
}

class Compiler {
 public:
  explicit Compiler(const View& view) : view_(view) {}

  Result<Condition> compile(const json::Object& filters) {
    SLUICE_TRY(Condition out, all_of(filters, 0));
    SLUICE_CHECK(operands_.settle(*view_.engine, view_.columns, out));
    return out;
  }

 private:
  // `depth` counts the logical operators around the filter.
  Result<Condition> all_of(const json::Object& filters, std::size_t depth) {
    if (filters.size() > kConditionsMax) return too_many_to_filter("filters", kConditionsMax);
    std::vector<Condition> out;
    for (const auto& [name, value] : filters) {
      SLUICE_TRY(out.emplace_back(),
                 is_logical(name) ? logical(name, value, depth) : on_column(name, value, depth));
    }
    return plan::all_of(std::move(out));
  }

  static bool is_logical(std::string_view name) { return name == "$and" || name == "$or" || name == "$not"; }

  Result<Condition> logical(std::string_view name, const json::Value& value, std::size_t depth) {
    if (depth == kNestingMax) return too_deep();
    if (name == "$not") {
      SLUICE_TRY(Condition condition, one_of_several(name, value, depth));
      return counted(plan::not_true(std::move(condition)));
    }
    const json::Array* list = value.if_array();
    if (list == nullptr || list->empty())
      return invalid_combination(fmt::format("{} takes a list of filters that is not empty", name));
    std::vector<Condition> out;
    for (const json::Value& one : *list) {
      SLUICE_TRY(out.emplace_back(), one_of_several(name, one, depth));
    }
    return counted(name == "$or" ? plan::any_of(std::move(out)) : plan::all_of(std::move(out)));
  }

  // An empty filter would hold for every record, and so might the whole: nobody means that.
  Result<Condition> one_of_several(std::string_view name, const json::Value& value, std::size_t depth) {
    const json::Object* filters = value.if_object();
    if (filters == nullptr || filters->empty())
      return invalid_combination(fmt::format("a filter in {} is no object, or is empty", name));
    return all_of(*filters, depth + 1);
  }

  Result<Condition> on_column(const std::string& name, const json::Value& value, std::size_t depth) {
    SLUICE_TRY(const Field* column, find_column(view_.columns, name));
    if (const json::Object* object = value.if_object(); object != nullptr && !is_a_value(*column, *object))
      return by_operators(*column, *object, depth);
    SLUICE_TRY(Condition condition, value.is_array() ? in(*column, value) : equal(*column, value));
    return counted(std::move(condition));
  }

  Result<Condition> by_operators(const Field& column, const json::Object& operators, std::size_t depth) {
    if (operators.empty()) return invalid_filter(column, "an operator is missing");
    std::vector<Condition> out;
    for (const auto& [name, operand] : operators) {
      SLUICE_TRY(Condition condition,
                 name == "$not" ? not_on_column(column, operand, depth) : operation(column, name, operand));
      SLUICE_TRY(out.emplace_back(), counted(std::move(condition)));
    }
    return plan::all_of(std::move(out));
  }

  Result<Condition> not_on_column(const Field& column, const json::Value& operand, std::size_t depth) {
    if (depth == kNestingMax) return too_deep();
    const json::Object* object = operand.if_object();
    if (object != nullptr && !is_a_value(column, *object)) {
      SLUICE_TRY(Condition condition, by_operators(column, *object, depth + 1));
      return plan::not_true(std::move(condition));
    }
    SLUICE_TRY(Condition condition, operand.is_array() ? in(column, operand) : equal(column, operand));
    return plan::not_true(std::move(condition));
  }

  // An object may be what a cell of a nested column is compared with.
  static bool is_a_value(const Field& column, const json::Object& object) {
    return engine::is_nested(column.type.id) && !object.empty() &&
           std::none_of(object.begin(), object.end(),
                        [](const auto& one) { return one.key.starts_with('$'); });
  }

  // A statement has a bound.
  Result<Condition> counted(Condition condition) {
    if (++conditions_ > kConditionsMax) return too_many_to_filter("conditions", kConditionsMax);
    return condition;
  }

  Result<Condition> operation(const Field& column, std::string_view name, const json::Value& operand) {
    using Kind = Condition::Kind;
    if (name == "$gt") return ordered(column, Sign::kGt, operand);
    if (name == "$gte") return ordered(column, Sign::kGte, operand);
    if (name == "$lt") return ordered(column, Sign::kLt, operand);
    if (name == "$lte") return ordered(column, Sign::kLte, operand);
    if (name == "$ne") return different(column, operand);
    if (name == "$in") {
      return operand.is_array() ? in(column, operand) : invalid_filter(column, "$in takes a list");
    }
    if (name == "$nin") return not_in(column, operand);
    if (name == "$between") return between(column, operand);
    if (name == "$has" || name == "$has_any" || name == "$has_all") return has(column, name, operand);
    if (name == "$contains") return by_text(column, name, operand, Kind::kContains);
    if (name == "$starts_with") return by_text(column, name, operand, Kind::kStartsWith);
    if (name == "$ends_with") return by_text(column, name, operand, Kind::kEndsWith);
    if (name == "$regex") return regex(column, operand);
    if (name == "$fuzzy") return fuzzy(column, operand);
    return invalid_input(
               fmt::format("filter on {}: unknown operator: {}", excerpt(column.name), excerpt(name)))
        .with_code("unknown_operator")
        .with_hint(fmt::format("Operators: {}. A plain value is equality.", kOperators));
  }

  std::size_t position_of(const Field& column) const {
    return static_cast<std::size_t>(&column - view_.columns.data());
  }

  Condition compared(const Field& column, Condition::Kind kind, std::vector<plan::Constant> constants) const {
    return {.kind = kind,
            .column = position_of(column),
            .constants = std::move(constants),
            .compares_text = is_compared_as_text(column.type.id)};
  }

  Result<Condition> equal(const Field& column, const json::Value& value) {
    if (value.is_null()) return plan::is_null(position_of(column));
    SLUICE_TRY(std::optional<plan::Constant> constant, operands_.equal_to(column, value));
    if (!constant) return Condition{.kind = Condition::Kind::kNever};
    return compared(column, Condition::Kind::kCompare, {*std::move(constant)});
  }

  Result<Condition> different(const Field& column, const json::Value& value) {
    if (value.is_null()) return plan::is_not_null(position_of(column));
    SLUICE_TRY(Condition condition, equal(column, value));
    return plan::not_true(std::move(condition));
  }

  Result<Condition> ordered(const Field& column, Sign sign, const json::Value& value) {
    if (value.is_null()) return wrong_type(column, value);
    SLUICE_TRY(plan::Constant constant, operands_.ordered_with(column, value));
    Condition out = compared(column, Condition::Kind::kCompare, {std::move(constant)});
    out.sign = sign;
    return out;
  }

  Result<Condition> in(const Field& column, const json::Value& list) {
    std::vector<plan::Constant> constants;
    const json::Array& values = *list.if_array();
    const auto nulls = static_cast<std::size_t>(
        std::count_if(values.begin(), values.end(), [](const json::Value& one) { return one.is_null(); }));
    members_ += values.size() - nulls;
    if (members_ > kMembersMax) return too_many_to_filter("values of lists", kMembersMax);
    for (const json::Value& value : values) {
      if (value.is_null()) continue;
      SLUICE_TRY(std::optional<plan::Constant> constant, operands_.equal_to(column, value));
      if (constant) constants.push_back(*std::move(constant));
    }
    Condition out{.kind = Condition::Kind::kNever};
    if (!constants.empty()) out = compared(column, Condition::Kind::kIn, std::move(constants));
    return nulls > 0 ? plan::any_of({std::move(out), plan::is_null(position_of(column))}) : out;
  }

  // An empty list would hold for every record, which a list that was computed may be by accident.
  Result<Condition> not_in(const Field& column, const json::Value& operand) {
    const json::Array* list = operand.if_array();
    if (list == nullptr || list->empty())
      return invalid_filter(column, "$nin takes a list that is not empty");
    SLUICE_TRY(Condition condition, in(column, operand));
    return plan::not_true(std::move(condition));
  }

  Result<Condition> between(const Field& column, const json::Value& operand) {
    const json::Array* bounds = operand.if_array();
    if (bounds == nullptr || bounds->size() != 2)
      return invalid_filter(column, "$between takes a list of two values, both inclusive");
    SLUICE_TRY(Condition least, ordered(column, Sign::kGte, (*bounds)[0]));
    SLUICE_TRY(Condition most, ordered(column, Sign::kLte, (*bounds)[1]));
    return plan::all_of({std::move(least), std::move(most)});
  }

  // Which elements a list has.
  Result<Condition> has(const Field& column, std::string_view name, const json::Value& operand) {
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
    std::vector<Condition> out;
    for (const json::Value& value : *wanted) {
      if (value.is_null()) return wrong_type(column, value);
      SLUICE_TRY(std::optional<plan::Constant> constant, operands_.equal_to(element, value));
      Condition& one = out.emplace_back(Condition{.kind = Condition::Kind::kNever});
      if (!constant) continue;
      one = compared(column, Condition::Kind::kHasElement, {*std::move(constant)});
      one.compares_text = is_compared_as_text(element.type.id);
    }
    return name == "$has_any" ? plan::any_of(std::move(out)) : plan::all_of(std::move(out));
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

  Result<Condition> by_text(const Field& column, std::string_view name, const json::Value& value,
                            Condition::Kind kind) const {
    Condition out{.kind = kind, .column = position_of(column), .ignores_case = true};
    SLUICE_TRY(out.text, pattern(column, name, value));
    return out;
  }

  Result<Condition> regex(const Field& column, const json::Value& value) const {
    SLUICE_TRY(Condition out, by_text(column, "$regex", value, Condition::Kind::kMatches));
    const engine::Statement trial{.sql = "SELECT regexp_matches('', $1, 'i')", .parameters = {out.text}};
    Status status;
    if (const Result<std::unique_ptr<engine::Rows>> rows = view_.engine->query(trial, {}); !rows.ok()) {
      status = rows.error();
    } else if (const auto batch = (*rows)->next(); !batch.ok()) {
      status = batch.error();
    }
    if (status.ok()) return out;
    return invalid_input(fmt::format("filter on {}: not a regular expression: {}", excerpt(column.name),
                                     excerpt(out.text)))
        .with_code("invalid_pattern")
        .with_hint("The syntax is RE2's: no look-around, no back-references, repetitions up to 1000. " +
                   excerpt(status.error().message, 200));
  }

  Result<Condition> fuzzy(const Field& column, const json::Value& value) const {
    const json::Value* wanted = value.is_object() ? value.find("text") : &value;
    if (wanted == nullptr) return invalid_filter(column, "$fuzzy takes a text, or {text, threshold}");
    Condition out{
        .kind = Condition::Kind::kIsSimilar, .column = position_of(column), .similarity = kFuzzyThreshold};
    SLUICE_TRY(out.text, pattern(column, "$fuzzy", *wanted));
    if (const json::Value* given = value.find("threshold")) {
      const json::Number* number = given->if_number();
      out.similarity = number == nullptr ? -1 : number->as_double();
      if (!(out.similarity >= 0 && out.similarity <= 1))
        return invalid_filter(column, "threshold is a number from 0 to 1");
    }
    return out;
  }

  const View& view_;
  Operands operands_;
  std::size_t conditions_ = 0;
  std::size_t members_ = 0;
};

}  // namespace

Result<Condition> compile_filters(const json::Object& filters, const View& view) {
  return Compiler(view).compile(filters);
}

}  // namespace sluice::records
