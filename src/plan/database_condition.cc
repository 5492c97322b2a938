#include "database_condition.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "database_values.h"
#include "sqlite_text.h"

namespace sluice::plan {

namespace {

using engine::Dialect;
using engine::Parameter;
using engine::TypeId;

constexpr std::size_t kPatternBytesMax = 4'096;

bool is_ordered_upward(Sign sign) { return sign == Sign::kGt || sign == Sign::kGte; }

class ColumnConditions {
 public:
  ColumnConditions(const DatabaseColumn& column, Dialect dialect, std::vector<Parameter>& parameters)
      : column_(column), dialect_(dialect), parameters_(parameters), name_(column.theirs->select) {}

  std::optional<std::string> print(const Condition& condition) {
    if (column_.support(function_of(condition), dialect_) != Support::kExact) return std::nullopt;
    switch (condition.kind) {
      case Condition::Kind::kIsNull:
        return name_ + " IS NULL";
      case Condition::Kind::kIsNotNull:
        return name_ + " IS NOT NULL";
      case Condition::Kind::kCompare:
        return compare(condition.sign, condition.constants.front());
      case Condition::Kind::kIn:
        return in(condition.constants);
      case Condition::Kind::kContains:
        return contains(condition.text, "{}", "{}");
      case Condition::Kind::kStartsWith:
        return prefix(condition.text);
      case Condition::Kind::kEndsWith:
        return suffix(condition.text);
      case Condition::Kind::kNormalizedContains:
        return contains(condition.text, "normalize_text({})", "normalize_text({})");
      case Condition::Kind::kMatches:
      case Condition::Kind::kAlways:
      case Condition::Kind::kNever:
      case Condition::Kind::kAnd:
      case Condition::Kind::kOr:
      case Condition::Kind::kNotTrue:
      case Condition::Kind::kHasElement:
      case Condition::Kind::kIsSimilar:
        break;
    }
    return std::nullopt;
  }

 private:
  bool is_sqlite() const { return dialect_ == Dialect::kSqlite; }
  bool is_text() const { return column_.ours->type.id == TypeId::kText; }

  std::string bind(Parameter parameter) {
    parameters_.push_back(std::move(parameter));
    return fmt::format("${}", parameters_.size());
  }

  std::optional<std::string> compare(Sign sign, const Constant& constant) {
    if (is_sqlite() && is_text()) return compare_text(sign, constant.operand);
    const std::optional<BoundComparison> bound =
        bind_comparison(sign, constant, column_, dialect_, parameters_);
    if (!bound) return std::nullopt;
    if (bound->kind == Comparison::Kind::kNever) return "1 = 0";
    if (bound->kind == Comparison::Kind::kNotNull) return name_ + " IS NOT NULL";
    // PostgreSQL's equality of what is selected is that of bytes, and its indexes serve it as it is.
    const bool is_equality = sign == Sign::kEq || sign == Sign::kNeq;
    std::string sql =
        fmt::format("{} {} {}", is_equality && !is_sqlite() ? name_ : by_bytes(column_, dialect_),
                    bound->sign, bound->placeholder);
    // A text that the sample did not see is larger than any number to SQLite, and is none to a caller.
    if (is_sqlite() && is_ordered_upward(sign))
      sql += fmt::format(" AND typeof({}) IN ('integer', 'real')", name_);
    return sql;
  }

  std::optional<std::string> compare_text(Sign sign, const Operand& operand) {
    if (!is_plain_text(operand.text)) return std::nullopt;
    const std::string placeholder = bind(operand.text);
    if (operand.place != Operand::Place::kNumber)
      return sqlite_text_condition(sign, column_, operand.text, placeholder);
    const std::string key = fmt::format("number_key({})", sqlite_shown(column_));
    std::string sql = fmt::format("{} {} {}", key, comparison_with(sign, operand.place).sign, placeholder);
    return sign == Sign::kLt || sign == Sign::kLte ? fmt::format("({} AND {} <> '')", sql, key) : sql;
  }

  std::optional<std::string> in(const std::vector<Constant>& constants) {
    const bool is_certain = !engine::is_number(column_.ours->type.id) ||
                            (engine::is_integer(column_.ours->type.id) && !is_sqlite());
    std::vector<Operand> values;
    for (const Constant& constant : constants) {
      if (constant.operand.place == Operand::Place::kNumber) return std::nullopt;
      const bool is_held = constant.operand.place == Operand::Place::kEqual;
      // The types of some columns come from a sample: a value that they cannot hold may be there all the
      // same.
      if (!is_held && !is_certain) return std::nullopt;
      if (is_held) values.push_back(constant.operand);
    }
    if (values.empty()) return "1 = 0";
    const std::optional<std::string> bound = bind_list(values, column_, dialect_, parameters_);
    if (!bound) return std::nullopt;
    return fmt::format("{} {}", subject_of_list(values), *bound);
  }

  std::string subject_of_list(const std::vector<Operand>& values) const {
    if (!is_sqlite()) return name_;
    if (!is_text()) return by_bytes(column_, dialect_);
    const bool needs_form = std::any_of(values.begin(), values.end(), [this](const Operand& value) {
      return is_ambiguous(column_, value.text);
    });
    return needs_form ? sqlite_shown(column_) : column_.reference() + " COLLATE BINARY";
  }

  static bool is_searchable(const std::string& text) {
    return is_plain_text(text) && text.size() <= kPatternBytesMax;
  }
  std::string bind_text(const std::string& text) { return is_sqlite() ? bind(text) : bind(text) + "::text"; }
  std::string shown() const { return is_sqlite() ? sqlite_shown(column_) : name_; }

  std::optional<std::string> prefix(const std::string& text) {
    if (!is_searchable(text)) return std::nullopt;
    const std::string placeholder = bind_text(text);
    return is_sqlite() ? fmt::format("instr({}, {}) = 1", shown(), placeholder)
                       : fmt::format("starts_with({}, {})", shown(), placeholder);
  }

  std::optional<std::string> suffix(const std::string& text) {
    if (!is_searchable(text)) return std::nullopt;
    const std::string placeholder = bind_text(text);
    return fmt::format("right({0}, length({1})) = {1}", shown(), placeholder);
  }

  std::optional<std::string> contains(const std::string& text, fmt::string_view subject,
                                      fmt::string_view pattern) {
    if (!is_searchable(text)) return std::nullopt;
    const std::string placeholder = bind_text(text);
    const std::string shown = this->shown();
    return fmt::format("{}({}, {}) > 0", is_sqlite() ? "instr" : "strpos",
                       fmt::vformat(subject, fmt::make_format_args(shown)),
                       fmt::vformat(pattern, fmt::make_format_args(placeholder)));
  }

  const DatabaseColumn column_;
  const Dialect dialect_;
  std::vector<Parameter>& parameters_;
  const std::string& name_;
};

}  // namespace

std::string by_bytes(const DatabaseColumn& column, Dialect dialect) {
  if (column.ours->type.id != TypeId::kText) return column.theirs->select;
  return fmt::format("{} COLLATE {}", column.theirs->select,
                     dialect == Dialect::kPostgres ? "\"C\"" : "BINARY");
}

std::optional<std::string> DatabaseConditions::print(const Condition& condition) {
  const std::size_t before = parameters_.size();
  std::optional<std::string> sql = print_all(condition);
  if (!sql) parameters_.resize(before);
  return sql;
}

std::optional<std::string> DatabaseConditions::print_all(const Condition& condition) {
  if (condition.kind == Condition::Kind::kAlways) return "1 = 1";
  if (condition.kind == Condition::Kind::kNever) return "1 = 0";
  if (is_for_engine_only(condition)) return std::nullopt;
  const bool is_and = condition.kind == Condition::Kind::kAnd;
  if (!is_and && condition.kind != Condition::Kind::kOr) {
    if (condition.column >= target_.columns.size()) return std::nullopt;
    std::optional<std::string> sql =
        ColumnConditions(column(condition.column), target_.dialect, parameters_).print(condition);
    return sql ? std::optional("(" + *std::move(sql) + ")") : std::nullopt;
  }
  std::string out;
  for (const Condition& part : condition.parts) {
    const std::optional<std::string> sql = print_all(part);
    if (!sql) return std::nullopt;
    out += (out.empty() ? "" : is_and ? " AND " : " OR ") + *sql;
  }
  return "(" + out + ")";
}

}  // namespace sluice::plan
