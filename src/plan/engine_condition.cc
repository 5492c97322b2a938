#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sluice/engine/cast.h"
#include "sluice/engine/value_set.h"
#include "sluice/plan/decimal_number.h"
#include "sluice/plan/engine_sql.h"

namespace sluice::plan {

namespace {

using engine::Field;
using engine::Parameter;
using engine::quote_name;
using engine::TypeId;

// Up to so many values are compared one by one, which lets the engine skip parts of a file. More are looked
// up in a set: the engine would join them, and rows that pass a join have no order.
constexpr std::size_t kInComparisonsMax = 16;
constexpr std::string_view kSeparatorText(&engine::kSetSeparator, 1);

// Values of these types may be equal although their texts differ, or have no text that can be read back.
bool needs_comparisons(TypeId id) {
  return engine::is_nested(id) || id == TypeId::kInterval || id == TypeId::kTimeTz;
}

// The type of the elements of a list; of what is none, the type itself.
const engine::Type& element_type(const engine::Type& type) {
  const bool is_list = type.id == TypeId::kList || type.id == TypeId::kArray;
  return is_list ? type.fields.front().type : type;
}

class ConditionPrinter {
 public:
  ConditionPrinter(const Field& column, const Condition& condition, std::vector<Parameter>& parameters)
      : column_(column),
        type_(condition.compares_text                          ? engine::Type{.id = TypeId::kText}
              : condition.kind == Condition::Kind::kHasElement ? element_type(column.type)
                                                               : column.type),
        parameters_(parameters),
        name_(condition.compares_text && condition.kind != Condition::Kind::kHasElement
                  ? fmt::format("CAST({} AS VARCHAR)", quote_name(column.name))
                  : quote_name(column.name)) {}

  std::string print(const Condition& condition) {
    switch (condition.kind) {
      case Condition::Kind::kIsNull:
        return name_ + " IS NULL";
      case Condition::Kind::kIsNotNull:
        return name_ + " IS NOT NULL";
      case Condition::Kind::kCompare:
        return compare(condition.sign, condition.constants.front().operand);
      case Condition::Kind::kIn:
        return in(condition.constants);
      case Condition::Kind::kContains:
        return find_text("contains", condition);
      case Condition::Kind::kStartsWith:
        return find_text("starts_with", condition);
      case Condition::Kind::kEndsWith:
        return find_text("ends_with", condition);
      case Condition::Kind::kNormalizedContains:
        return text_function("contains(normalize_text({}), normalize_text({}))", condition.text);
      case Condition::Kind::kMatches:
        return text_function(
            condition.ignores_case ? "regexp_matches({}, {}, 'i')" : "regexp_matches({}, {})",
            condition.text);
      case Condition::Kind::kHasElement:
        return fmt::format("list_contains(CAST({} AS {}[]), {})", name_, engine::sql_name(type_),
                           bind_typed(condition.constants.front().operand.text));
      case Condition::Kind::kIsSimilar: {
        const std::string ratio = text_function("fuzzy_ratio({1}, {0})", condition.text);
        return fmt::format("{} >= CAST({} AS DOUBLE)", ratio, bind(condition.similarity));
      }
      case Condition::Kind::kAlways:
      case Condition::Kind::kNever:
      case Condition::Kind::kAnd:
      case Condition::Kind::kOr:
      case Condition::Kind::kNotTrue:
        break;
    }
    return condition.kind == Condition::Kind::kAlways ? "true" : "false";
  }

 private:
  std::string bind(Parameter parameter) {
    parameters_.push_back(std::move(parameter));
    return fmt::format("${}", parameters_.size());
  }

  std::string bind_typed(std::string text) { return engine::cast_sql(bind(std::move(text)), type_); }

  std::string compare(Sign sign, const Operand& operand) {
    if (operand.place == Operand::Place::kNumber) return compare_number(sign, operand);
    const Comparison left = comparison_with(sign, operand.place);
    switch (left.kind) {
      case Comparison::Kind::kNever:
        return "false";
      case Comparison::Kind::kNotNull:
        return name_ + " IS NOT NULL";
      case Comparison::Kind::kCompare:
        break;
    }
    if (left.sign == "=") return equals(operand);
    return fmt::format("{} {} {}", name_, left.sign, bind_typed(operand.text));
  }

  // The engine asks the Bloom filters of Parquet about `=`. It hashes zero and minus zero as two values and
  // some blobs as others, and so skips rows. It does not ask them about ranges.
  std::string equals(const Operand& operand) {
    if (operand.is_float_zero)
      return fmt::format("({0} >= {1} AND {0} <= {2})", name_, bind_typed("-0"), bind_typed("0"));
    const std::string value = bind_typed(operand.text);
    if (type_.id == TypeId::kBlob) return fmt::format("({0} >= {1} AND {0} <= {1})", name_, value);
    return fmt::format("{} = {}", name_, value);
  }

  // A number for a column of text is compared with the texts that are numbers.
  std::string compare_number(Sign sign, const Operand& operand) {
    const std::string key = fmt::format("number_key({})", name_);
    std::string sql =
        fmt::format("{} {} {}", key, comparison_with(sign, operand.place).sign, bind(operand.text));
    // The key of what is not a number is empty, and sorts before all others.
    return sign == Sign::kLt || sign == Sign::kLte ? fmt::format("({} AND {} <> '')", sql, key) : sql;
  }

  std::string in(const std::vector<Constant>& constants) {
    std::vector<std::string> alternatives;
    std::vector<Operand> values;
    std::set<std::string> keys;  // Of numbers, for a column of text.
    for (const Constant& constant : constants) {
      if (constant.operand.place == Operand::Place::kNumber) keys.insert(constant.operand.text);
      if (constant.operand.place == Operand::Place::kEqual) values.push_back(constant.operand);
    }
    add_equalities(std::move(values), alternatives);
    if (!keys.empty()) add_keys({keys.begin(), keys.end()}, alternatives);
    if (alternatives.empty()) return "false";
    return fmt::format("({})", fmt::join(alternatives, " OR "));
  }

  void add_equalities(std::vector<Operand> values, std::vector<std::string>& alternatives) {
    const auto by_text = [](const Operand& a, const Operand& b) { return a.text < b.text; };
    const auto same_text = [](const Operand& a, const Operand& b) { return a.text == b.text; };
    std::sort(values.begin(), values.end(), by_text);
    values.erase(std::unique(values.begin(), values.end(), same_text), values.end());
    if (needs_comparisons(type_.id)) {
      std::vector<std::string> members;
      for (Operand& value : values) members.push_back(bind_typed(std::move(value.text)));
      if (!members.empty())
        alternatives.push_back(fmt::format("{} IN ({})", name_, fmt::join(members, ", ")));
      return;
    }
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
    if (type_.id == TypeId::kText) {
      const std::string low = bind(texts.front());
      const std::string high = bind(texts.back());
      return fmt::format("({0} >= {1} AND {0} <= {2} AND is_among({0}, {3}))", name_, low, high,
                         bind(engine::value_set_text(texts)));
    }
    if (type_.id == TypeId::kBlob)
      return fmt::format("is_among(to_base64({}), {})", name_, bind(engine::value_set_text(texts)));
    const std::string bounds = bounds_of(texts);
    const std::string separator = fmt::format("chr({})", static_cast<int>(engine::kSetSeparator));
    // Given as one text, the parameter has a type before its value is known. list_min and array_to_string are
    // macros, which do not work on parameters.
    std::string joined;
    for (const std::string& text : texts) (joined += joined.empty() ? "" : kSeparatorText) += text;
    const std::string list = fmt::format("CAST(string_split({}, {}) AS {}[])", bind(std::move(joined)),
                                         separator, engine::sql_name(type_));
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

  std::string find_text(std::string_view function, const Condition& condition) {
    return std::string(function) +
           text_function(condition.ignores_case ? "(lower({}), lower({}))" : "({}, {})", condition.text);
  }

  std::string text_function(fmt::string_view form, const std::string& text) {
    const std::string subject = shown();
    const std::string placeholder = bind(text);
    return fmt::vformat(form, fmt::make_format_args(subject, placeholder));
  }

  // The text of a cell as answers show it.
  std::string shown() const {
    const std::string name = quote_name(column_.name);
    if (column_.type.id == TypeId::kText) return name;
    return fmt::format("CAST({} AS VARCHAR)",
                       engine::is_nested(column_.type.id) ? fmt::format("to_json({})", name) : name);
  }

  const Field& column_;
  const engine::Type type_;  // What is compared: of the column, of its elements, or text.
  std::vector<Parameter>& parameters_;
  const std::string name_;
};

}  // namespace

std::string engine_condition(const Condition& condition, const Columns& columns,
                             std::vector<Parameter>& parameters) {
  const bool is_and = condition.kind == Condition::Kind::kAnd;
  if (!is_and && condition.kind != Condition::Kind::kOr) {
    static const Field kNoColumn;  // Conditions that are always or never true have none.
    const Field& column = condition.column < columns.size() ? columns[condition.column] : kNoColumn;
    if (condition.kind == Condition::Kind::kNotTrue)
      return fmt::format("({}) IS NOT TRUE", engine_condition(condition.parts.front(), columns, parameters));
    return ConditionPrinter(column, condition, parameters).print(condition);
  }
  std::vector<std::string> parts;
  for (const Condition& part : condition.parts) parts.push_back(engine_condition(part, columns, parameters));
  return fmt::format("({})", fmt::join(parts, is_and ? " AND " : " OR "));
}

}  // namespace sluice::plan
