#include "filter_sql.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

namespace sluice::query {

namespace {

using engine::Field;
using engine::Parameter;
using engine::quote_name;
using engine::TypeId;

constexpr std::size_t kInValuesMax = 10'000;
constexpr std::size_t kInListMax = 64;  // Longer lists are joined, not spelled out.
constexpr std::size_t kOperandBytesMax = 4'096;

Error invalid_filter(const Filter& filter, std::string_view what) {
  return invalid_input(fmt::format("filter on {}: {}", excerpt(filter.column), what))
      .with_code("invalid_filter")
      .with_hint("get_schema lists the columns and their types; distinct_values shows what a column holds.");
}

Error wrong_value(const Filter& filter, const Field& column, const json::Value& value) {
  return invalid_filter(filter, fmt::format("cannot compare {} with a {}", engine::polars_name(column.type),
                                            json::to_string(value.type())))
      .with_hint("Dates and times are text in ISO 8601; use is_null for missing values.");
}

// The text of a scalar that can be compared with the column.
Result<std::string> operand_text(const Filter& filter, const Field& column, const json::Value& value) {
  const TypeId id = column.type.id;
  if (const std::string* text = value.if_string()) {
    if (id == TypeId::kBool && *text != "true" && *text != "false") return wrong_value(filter, column, value);
    return *text;
  }
  if (const json::Number* number = value.if_number()) {
    if (engine::is_temporal(id) || id == TypeId::kBool) return wrong_value(filter, column, value);
    return number->text;
  }
  if (const bool* flag = value.if_bool(); flag != nullptr && (id == TypeId::kBool || id == TypeId::kText)) {
    return std::string(*flag ? "true" : "false");
  }
  return wrong_value(filter, column, value);
}

class Builder {
 public:
  Builder(const Filter& filter, const Field& column, std::vector<Parameter>& parameters)
      : filter_(filter), column_(column), parameters_(parameters), name_(quote_name(column.name)) {}

  Result<std::string> build() {
    switch (filter_.op) {
      case FilterOp::kIsNull:
        return is_null();
      case FilterOp::kEq:
        return filter_.value.is_null() ? name_ + " IS NULL" : compare("=", filter_.value);
      case FilterOp::kNeq:
        return filter_.value.is_null() ? name_ + " IS NOT NULL" : compare("<>", filter_.value);
      case FilterOp::kGt:
        return compare(">", filter_.value);
      case FilterOp::kGte:
        return compare(">=", filter_.value);
      case FilterOp::kLt:
        return compare("<", filter_.value);
      case FilterOp::kLte:
        return compare("<=", filter_.value);
      case FilterOp::kIn:
        return in();
      case FilterOp::kRange:
        return range();
      case FilterOp::kContains:
        return text_function("contains({}, {})");
      case FilterOp::kRegex:
        return text_function("regexp_matches({}, {})");
      case FilterOp::kNormalizedContains:
        return text_function("contains(normalize_text({}), normalize_text({}))");
    }
    return internal_error("unknown filter operator");
  }

 private:
  std::string bind(Parameter parameter) {
    parameters_.push_back(std::move(parameter));
    return fmt::format("${}", parameters_.size());
  }

  // A placeholder with the type of the column. Nothing is compared as text that is not text.
  std::string bind_typed(std::string text) {
    std::string placeholder = bind(std::move(text));
    if (column_.type.id == TypeId::kText) return placeholder;
    return fmt::format("CAST({} AS {})", placeholder, engine::sql_name(column_.type));
  }

  Result<std::string> compare(std::string_view sign, const json::Value& value) {
    if (engine::is_nested(column_.type.id)) {
      return invalid_filter(filter_, engine::polars_name(column_.type) + " can only be tested with is_null");
    }
    SLUICE_TRY(std::string text, operand_text(filter_, column_, value));
    return fmt::format("{} {} {}", name_, sign, bind_typed(std::move(text)));
  }

  Result<std::string> is_null() {
    const bool* wanted = filter_.value.if_bool();
    if (wanted == nullptr && !filter_.value.is_null())
      return invalid_filter(filter_, "is_null takes true or false");
    return name_ + (wanted == nullptr || *wanted ? " IS NULL" : " IS NOT NULL");
  }

  Result<std::string> in() {
    const json::Array* list = filter_.value.if_array();
    if (list == nullptr) return invalid_filter(filter_, "in takes a list");
    if (list->empty()) return invalid_filter(filter_, "in takes at least one value");
    if (list->size() > kInValuesMax) {
      return limit_reached("values of in", kInValuesMax)
          .with_code("too_many_values")
          .with_hint("Ask in several calls.");
    }
    std::vector<std::string> texts;
    bool with_null = false;
    for (const json::Value& value : *list) {
      if (value.is_null()) {
        with_null = true;
        continue;
      }
      SLUICE_TRY(texts.emplace_back(), operand_text(filter_, column_, value));
    }
    std::string sql = texts.empty() ? "false" : in_list(std::move(texts));
    return with_null ? fmt::format("({} OR {} IS NULL)", sql, name_) : sql;
  }

  std::string in_list(std::vector<std::string> texts) {
    if (texts.size() > kInListMax) {
      return fmt::format("{} IN (SELECT CAST(unnest({}) AS {}))", name_, bind(std::move(texts)),
                         engine::sql_name(column_.type));
    }
    std::string values;
    for (std::string& text : texts) (values += values.empty() ? "" : ", ") += bind_typed(std::move(text));
    return fmt::format("{} IN ({})", name_, values);
  }

  Result<std::string> range() {
    const json::Object* bounds = filter_.value.if_object();
    if (bounds == nullptr) return invalid_filter(filter_, "range takes {min, max}");
    const json::Value* low = bounds->find("min");
    const json::Value* high = bounds->find("max");
    std::string sql;
    if (low != nullptr && !low->is_null()) {
      SLUICE_TRY(sql, compare(">=", *low));
    }
    if (high != nullptr && !high->is_null()) {
      SLUICE_TRY(const std::string below, compare("<=", *high));
      sql += (sql.empty() ? "" : " AND ") + below;
    }
    if (sql.empty()) return invalid_filter(filter_, "range takes min, max or both");
    return "(" + sql + ")";
  }

  Result<std::string> text_function(fmt::string_view form) {
    const std::string* text = filter_.value.if_string();
    if (text == nullptr) return invalid_filter(filter_, "the value must be text");
    if (text->size() > kOperandBytesMax) {
      return limit_reached("bytes of a pattern", kOperandBytesMax)
          .with_code("invalid_filter")
          .with_hint("Use a shorter pattern, or eq or in for whole values.");
    }
    const std::string subject =
        column_.type.id == TypeId::kText ? name_ : fmt::format("CAST({} AS VARCHAR)", name_);
    const std::string placeholder = bind(*text);
    return fmt::vformat(form, fmt::make_format_args(subject, placeholder));
  }

  const Filter& filter_;
  const Field& column_;
  std::vector<Parameter>& parameters_;
  const std::string name_;
};

}  // namespace

Result<std::string> filter_sql(const Filter& filter, const Field& column,
                               std::vector<Parameter>& parameters) {
  return Builder(filter, column, parameters).build();
}

}  // namespace sluice::query
