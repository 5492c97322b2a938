#include "filter_condition.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

namespace sluice::query {

namespace {

using plan::Condition;
using plan::Sign;

constexpr std::size_t kInValuesMax = 10'000;
constexpr std::size_t kOperandBytesMax = 4'096;

Error invalid_filter(const Filter& filter, std::string_view what) {
  return invalid_input(fmt::format("filter on {}: {}", excerpt(filter.column), what))
      .with_code("invalid_filter")
      .with_hint("get_schema lists the columns and their types; distinct_values shows what a column holds.");
}

class Builder {
 public:
  Builder(const Filter& filter, const plan::Columns& columns, std::size_t position,
          std::vector<std::string>& warnings)
      : filter_(filter), columns_(columns), position_(position), warnings_(warnings) {}

  Result<Condition> build() {
    switch (filter_.op) {
      case FilterOp::kIsNull:
        return null_test();
      case FilterOp::kEq:
        return filter_.value.is_null() ? plan::is_null(position_) : compare(Sign::kEq, filter_.value);
      case FilterOp::kNeq:
        return filter_.value.is_null() ? plan::is_not_null(position_) : compare(Sign::kNeq, filter_.value);
      case FilterOp::kGt:
        return compare(Sign::kGt, filter_.value);
      case FilterOp::kGte:
        return compare(Sign::kGte, filter_.value);
      case FilterOp::kLt:
        return compare(Sign::kLt, filter_.value);
      case FilterOp::kLte:
        return compare(Sign::kLte, filter_.value);
      case FilterOp::kIn:
        return in();
      case FilterOp::kRange:
        return range();
      case FilterOp::kContains:
        return text_condition(Condition::Kind::kContains);
      case FilterOp::kRegex:
        return text_condition(Condition::Kind::kMatches);
      case FilterOp::kNormalizedContains:
        return text_condition(Condition::Kind::kNormalizedContains);
    }
    return internal_error("unknown filter operator");
  }

 private:
  Result<Condition> compare(Sign sign, const json::Value& value) {
    SLUICE_TRY(Condition out, plan::compare(columns_, position_, sign, value));
    const bool is_ordered = sign != Sign::kEq && sign != Sign::kNeq;
    if (is_ordered && out.constants.front().operand.place == plan::Operand::Place::kNumber)
      warn_of_texts(value);
    return out;
  }

  void warn_of_texts(const json::Value& value) {
    std::string warning = fmt::format(
        "{} is text: {} was compared with those texts that are numbers, and rows with other "
        "texts are left out. Pass a string to compare as text.",
        excerpt(columns_[position_].name), excerpt(json::to_text(value)));
    if (std::find(warnings_.begin(), warnings_.end(), warning) == warnings_.end())
      warnings_.push_back(std::move(warning));
  }

  Result<Condition> null_test() {
    const bool* wanted = filter_.value.if_bool();
    if (wanted == nullptr && !filter_.value.is_null())
      return invalid_filter(filter_, "is_null takes true or false");
    return wanted == nullptr || *wanted ? plan::is_null(position_) : plan::is_not_null(position_);
  }

  Result<Condition> in() {
    const json::Array* list = filter_.value.if_array();
    if (list == nullptr) return invalid_filter(filter_, "in takes a list");
    if (list->empty()) return invalid_filter(filter_, "in takes at least one value");
    if (list->size() > kInValuesMax) {
      return limit_reached("values of in", kInValuesMax)
          .with_code("too_many_values")
          .with_hint("Ask in several calls.");
    }
    json::Array values;
    for (const json::Value& value : *list) {
      if (!value.is_null()) values.push_back(value);
    }
    const bool has_null = values.size() < list->size();
    SLUICE_TRY(Condition out, plan::in_list(columns_, position_, values));
    if (!has_null) return out;
    return plan::any_of({plan::is_null(position_), std::move(out)});
  }

  Result<Condition> range() {
    const json::Object* bounds = filter_.value.if_object();
    if (bounds == nullptr) return invalid_filter(filter_, "range takes {min, max}");
    std::vector<Condition> parts;
    for (const auto& [key, sign] : {std::pair{"min", Sign::kGte}, std::pair{"max", Sign::kLte}}) {
      const json::Value* bound = bounds->find(key);
      if (bound == nullptr || bound->is_null()) continue;
      SLUICE_TRY(parts.emplace_back(), compare(sign, *bound));
    }
    if (parts.empty()) return invalid_filter(filter_, "range takes min, max or both");
    return plan::all_of(std::move(parts));
  }

  Result<Condition> text_condition(Condition::Kind kind) {
    const std::string* text = filter_.value.if_string();
    if (text == nullptr) return invalid_filter(filter_, "the value must be text");
    if (text->size() > kOperandBytesMax) {
      return limit_reached("bytes of a pattern", kOperandBytesMax)
          .with_code("invalid_filter")
          .with_hint("Use a shorter pattern, or eq or in for whole values.");
    }
    return Condition{.kind = kind, .column = position_, .text = *text};
  }

  const Filter& filter_;
  const plan::Columns& columns_;
  const std::size_t position_;
  std::vector<std::string>& warnings_;
};

}  // namespace

Result<Condition> filter_condition(const Filter& filter, const plan::Columns& columns, std::size_t position,
                                   std::vector<std::string>& warnings) {
  return Builder(filter, columns, position, warnings).build();
}

}  // namespace sluice::query
