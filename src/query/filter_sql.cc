#include "filter_sql.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/value_set.h"
#include "sluice/query/operand.h"

#include "decimal_number.h"

namespace sluice::query {

namespace {

using engine::Field;
using engine::Parameter;
using engine::quote_name;
using engine::TypeId;

constexpr std::size_t kInValuesMax = 10'000;
// Up to so many values are compared one by one, which lets the engine skip parts of a file. More are looked
// up in a set: the engine would join them, and rows that pass a join have no order.
constexpr std::size_t kInComparisonsMax = 16;
constexpr std::size_t kOperandBytesMax = 4'096;
constexpr std::string_view kSeparatorText(&engine::kSetSeparator, 1);

Error invalid_filter(const Filter& filter, std::string_view what) {
  return invalid_input(fmt::format("filter on {}: {}", excerpt(filter.column), what))
      .with_code("invalid_filter")
      .with_hint("get_schema lists the columns and their types; distinct_values shows what a column holds.");
}

class Builder {
 public:
  Builder(const Filter& filter, const Field& column, expression::Question& question)
      : filter_(filter), column_(column), question_(question), name_(quote_name(column.name)) {}

  Result<std::string> build() {
    switch (filter_.op) {
      case FilterOp::kIsNull:
        return is_null();
      case FilterOp::kEq:
        return filter_.value.is_null() ? name_ + " IS NULL" : compare(Sign::kEq, filter_.value);
      case FilterOp::kNeq:
        return filter_.value.is_null() ? name_ + " IS NOT NULL" : compare(Sign::kNeq, filter_.value);
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
    question_.parameters.push_back(std::move(parameter));
    return fmt::format("${}", question_.parameters.size());
  }

  std::string cast(std::string_view sql) const {
    if (column_.type.id == TypeId::kText) return std::string(sql);
    if (column_.type.id == TypeId::kBlob) return fmt::format("from_base64({})", sql);
    return fmt::format("CAST({} AS {})", sql, engine::sql_name(column_.type));
  }

  std::string bind_typed(std::string text) { return cast(bind(std::move(text))); }

  Result<std::string> compare(Sign sign, const json::Value& value) {
    SLUICE_TRY(const Operand operand, resolve_operand(column_, value));
    if (operand.place == Operand::Place::kNumber) return compare_number(sign, operand, value);
    const Comparison left = comparison_with(sign, operand.place);
    switch (left.kind) {
      case Comparison::Kind::kNever:
        return std::string("false");
      case Comparison::Kind::kNotNull:
        return name_ + " IS NOT NULL";
      case Comparison::Kind::kCompare:
        break;
    }
    if (left.sign == "=") return equals(operand);
    return fmt::format("{} {} {}", name_, left.sign, bind_typed(operand.text));
  }

  // The engine asks the Bloom filters of Parquet about `=`. It hashes zero and minus zero as two values and
  // some blobs as others, and so passes over rows. It does not ask them about ranges.
  std::string equals(const Operand& operand) {
    if (operand.is_float_zero)
      return fmt::format("({0} >= {1} AND {0} <= {2})", name_, bind_typed("-0"), bind_typed("0"));
    const std::string value = bind_typed(operand.text);
    if (column_.type.id == TypeId::kBlob) return fmt::format("({0} >= {1} AND {0} <= {1})", name_, value);
    return fmt::format("{} = {}", name_, value);
  }

  // A number for a column of text is compared with the texts that are numbers.
  std::string compare_number(Sign sign, const Operand& operand, const json::Value& value) {
    const bool is_ordered = sign != Sign::kEq && sign != Sign::kNeq;
    if (is_ordered) warn_of_texts(value);
    const std::string key = fmt::format("number_key({})", name_);
    std::string sql =
        fmt::format("{} {} {}", key, comparison_with(sign, operand.place).sign, bind(operand.text));
    // The key of what is not a number is empty, and sorts before all others.
    return sign == Sign::kLt || sign == Sign::kLte ? fmt::format("({} AND {} <> '')", sql, key) : sql;
  }

  void warn_of_texts(const json::Value& value) {
    std::string warning = fmt::format(
        "{} is text: {} was compared with those texts that are numbers, and rows with other "
        "texts are left out. Pass a string to compare as text.",
        excerpt(column_.name), excerpt(json::to_text(value)));
    std::vector<std::string>& all = question_.warnings;
    if (std::find(all.begin(), all.end(), warning) == all.end()) all.push_back(std::move(warning));
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
    std::vector<std::string> alternatives;
    std::vector<Operand> values;
    std::set<std::string> keys;  // Of numbers, for a column of text.
    for (const json::Value& value : *list) {
      if (value.is_null()) {
        if (alternatives.empty()) alternatives.push_back(name_ + " IS NULL");
        continue;
      }
      SLUICE_TRY(Operand operand, resolve_operand(column_, value));
      if (operand.place == Operand::Place::kNumber) keys.insert(operand.text);
      if (operand.place == Operand::Place::kEqual) values.push_back(std::move(operand));
    }
    add_equalities(std::move(values), alternatives);
    if (!keys.empty()) add_keys({keys.begin(), keys.end()}, alternatives);
    if (alternatives.empty()) return std::string("false");
    return fmt::format("({})", fmt::join(alternatives, " OR "));
  }

  void add_equalities(std::vector<Operand> values, std::vector<std::string>& alternatives) {
    const auto by_text = [](const Operand& a, const Operand& b) { return a.text < b.text; };
    const auto same_text = [](const Operand& a, const Operand& b) { return a.text == b.text; };
    std::sort(values.begin(), values.end(), by_text);
    values.erase(std::unique(values.begin(), values.end(), same_text), values.end());
    if (values.size() <= kInComparisonsMax) {
      for (const Operand& value : values) alternatives.push_back(equals(value));
      return;
    }
    std::vector<std::string> texts;
    for (Operand& value : values) {
      if (value.is_float_zero) texts.emplace_back("-0");
      texts.push_back(std::move(value.text));
    }
    alternatives.push_back(is_among(std::move(texts)));
  }

  // The engine itself makes the texts of both sides, so that equal values have equal texts. The bounds let it
  // skip parts of a file.
  std::string is_among(std::vector<std::string> texts) {
    if (column_.type.id == TypeId::kText) {
      const std::string low = bind(texts.front());
      const std::string high = bind(texts.back());
      return fmt::format("({0} >= {1} AND {0} <= {2} AND is_among({0}, {3}))", name_, low, high,
                         bind(engine::value_set_text(texts)));
    }
    if (column_.type.id == TypeId::kBlob)
      return fmt::format("is_among(to_base64({}), {})", name_, bind(engine::value_set_text(texts)));
    const std::string bounds = bounds_of(texts);
    const std::string separator = fmt::format("chr({})", static_cast<int>(engine::kSetSeparator));
    // Given as one text, the parameter has a type before its value is known. list_min and array_to_string are
    // macros, which do not work on parameters.
    std::string joined;
    for (const std::string& text : texts) (joined += joined.empty() ? "" : kSeparatorText) += text;
    const std::string list = fmt::format("CAST(string_split({}, {}) AS {}[])", bind(std::move(joined)),
                                         separator, engine::sql_name(column_.type));
    return fmt::format(
        "({0}is_among(CAST({1} AS VARCHAR), {2} || list_aggregate(CAST({3} AS VARCHAR[]), 'string_agg', "
        "{2})))",
        bounds, name_, separator, list);
  }

  // Lets the engine skip parts of a file that lie outside of the smallest and the largest number. Empty for
  // values that are no numbers.
  std::string bounds_of(const std::vector<std::string>& texts) {
    std::optional<DecimalNumber> least;
    std::optional<DecimalNumber> largest;
    for (const std::string& text : texts) {
      const std::optional<DecimalNumber> number = DecimalNumber::parse(text);
      if (!number) return {};
      if (!least || *number < *least) least = *number;
      if (!largest || *largest < *number) largest = *number;
    }
    return fmt::format("{0} >= {1} AND {0} <= {2} AND ", name_, bind_typed(least->text()),
                       bind_typed(largest->text()));
  }

  void add_keys(const std::vector<std::string>& keys, std::vector<std::string>& alternatives) {
    const std::string key = fmt::format("number_key({})", name_);
    alternatives.push_back(keys.size() == 1
                               ? fmt::format("{} = {}", key, bind(keys.front()))
                               : fmt::format("is_among({}, {})", key, bind(engine::value_set_text(keys))));
  }

  Result<std::string> range() {
    const json::Object* bounds = filter_.value.if_object();
    if (bounds == nullptr) return invalid_filter(filter_, "range takes {min, max}");
    const json::Value* low = bounds->find("min");
    const json::Value* high = bounds->find("max");
    std::string sql;
    if (low != nullptr && !low->is_null()) {
      SLUICE_TRY(sql, compare(Sign::kGte, *low));
    }
    if (high != nullptr && !high->is_null()) {
      SLUICE_TRY(const std::string below, compare(Sign::kLte, *high));
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
  expression::Question& question_;
  const std::string name_;
};

}  // namespace

Result<std::string> filter_sql(const Filter& filter, const Field& column, expression::Question& question) {
  return Builder(filter, column, question).build();
}

}  // namespace sluice::query
