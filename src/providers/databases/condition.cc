#include "condition.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/query/operand.h"

#include "bound_values.h"
#include "sqlite_text.h"

namespace sluice::databases {

namespace {

using engine::Dialect;
using engine::Parameter;
using engine::TypeId;
using expression::Filter;
using expression::FilterOp;
using query::Comparison;
using query::Operand;
using query::Sign;

constexpr std::size_t kPatternBytesMax = 4'096;

bool is_ordered_upward(Sign sign) { return sign == Sign::kGt || sign == Sign::kGte; }

class Builder {
 public:
  Builder(const PushedColumn& column, Dialect dialect, std::vector<Parameter>& parameters)
      : column_(column), dialect_(dialect), parameters_(parameters), name_(column.theirs->select) {}

  std::optional<std::string> build(const Filter& filter) {
    const json::Value& value = filter.value;
    switch (filter.op) {
      case FilterOp::kIsNull: {
        const bool* wanted = value.if_bool();
        return name_ + (wanted == nullptr || *wanted ? " IS NULL" : " IS NOT NULL");
      }
      case FilterOp::kEq:
        return value.is_null() ? name_ + " IS NULL" : compare(Sign::kEq, value);
      case FilterOp::kNeq:
        return value.is_null() ? name_ + " IS NOT NULL" : compare(Sign::kNeq, value);
      case FilterOp::kGt:
        return compare(Sign::kGt, value);
      case FilterOp::kGte:
        return compare(Sign::kGte, value);
      case FilterOp::kLt:
        return compare(Sign::kLt, value);
      case FilterOp::kLte:
        return compare(Sign::kLte, value);
      case FilterOp::kIn:
        return in(value);
      case FilterOp::kRange:
        return range(value);
      case FilterOp::kContains:
        return contains(value, "{}", "{}");
      case FilterOp::kNormalizedContains:
        if (!is_sqlite()) return std::nullopt;
        return contains(value, "normalize_text({})", "normalize_text({})");
      case FilterOp::kRegex:  // The databases' own have another syntax.
        return std::nullopt;
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

  std::optional<std::string> compare(Sign sign, const json::Value& value) {
    if (is_sqlite() && is_text()) return compare_text(sign, value);
    if (is_sqlite() && !has_numeric_affinity(column_.theirs->declared)) return std::nullopt;
    const std::optional<BoundComparison> bound = bind_comparison(sign, value, column_, dialect_, parameters_);
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

  std::optional<std::string> compare_text(Sign sign, const json::Value& value) {
    const Result<Operand> operand = query::resolve_operand(*column_.ours, value);
    if (!operand.ok() || !is_plain_text(operand->text)) return std::nullopt;
    const std::string placeholder = bind(operand->text);
    if (operand->place != Operand::Place::kNumber)
      return sqlite_text_condition(sign, column_, operand->text, placeholder);
    const std::string key = fmt::format("number_key({})", sqlite_shown(column_));
    std::string sql =
        fmt::format("{} {} {}", key, query::comparison_with(sign, operand->place).sign, placeholder);
    return sign == Sign::kLt || sign == Sign::kLte ? fmt::format("({} AND {} <> '')", sql, key) : sql;
  }

  std::optional<std::string> in(const json::Value& value) {
    const json::Array* list = value.if_array();
    if (list == nullptr || list->empty()) return std::nullopt;
    if (is_sqlite() && !is_text() && !has_numeric_affinity(column_.theirs->declared)) return std::nullopt;
    const bool is_certain = !engine::is_number(column_.ours->type.id) ||
                            (engine::is_integer(column_.ours->type.id) && !is_sqlite());
    std::vector<Operand> values;
    bool with_null = false;
    for (const json::Value& one : *list) {
      if (one.is_null()) {
        with_null = true;
        continue;
      }
      Result<Operand> operand = query::resolve_operand(*column_.ours, one);
      if (!operand.ok() || operand->place == Operand::Place::kNumber) return std::nullopt;
      const bool is_held = operand->place == Operand::Place::kEqual;
      // The types of some columns come from a sample: a value that they cannot hold may be there all the
      // same.
      if (!is_held && !is_certain) return std::nullopt;
      if (is_held) values.push_back(*std::move(operand));
    }
    std::string sql = "1 = 0";
    if (!values.empty()) {
      const std::optional<std::string> bound = bind_list(values, column_, dialect_, parameters_);
      if (!bound) return std::nullopt;
      sql = fmt::format("{} {}", subject_of_list(values), *bound);
    }
    return with_null ? fmt::format("({} OR {} IS NULL)", sql, name_) : sql;
  }

  std::string subject_of_list(const std::vector<Operand>& values) const {
    if (!is_sqlite()) return name_;
    if (!is_text()) return by_bytes(column_, dialect_);
    const bool needs_form = std::any_of(values.begin(), values.end(), [this](const Operand& value) {
      return is_ambiguous(column_, value.text);
    });
    return needs_form ? sqlite_shown(column_) : engine::quote_name(column_.theirs->name) + " COLLATE BINARY";
  }

  std::optional<std::string> range(const json::Value& value) {
    const json::Object* bounds = value.if_object();
    if (bounds == nullptr) return std::nullopt;
    std::string sql;
    for (const auto& [key, sign] : {std::pair{"min", Sign::kGte}, std::pair{"max", Sign::kLte}}) {
      const json::Value* bound = bounds->find(key);
      if (bound == nullptr || bound->is_null()) continue;
      const std::optional<std::string> one = compare(sign, *bound);
      if (!one) return std::nullopt;
      sql += (sql.empty() ? "" : " AND ") + *one;
    }
    if (sql.empty()) return std::nullopt;
    return "(" + sql + ")";
  }

  std::optional<std::string> contains(const json::Value& value, fmt::string_view subject,
                                      fmt::string_view pattern) {
    const std::string* text = value.if_string();
    if (text == nullptr || !is_text() || !is_plain_text(*text) || text->size() > kPatternBytesMax)
      return std::nullopt;
    const std::string placeholder = is_sqlite() ? bind(*text) : bind(*text) + "::text";
    const std::string shown = is_sqlite() ? sqlite_shown(column_) : name_;
    return fmt::format("{}({}, {}) > 0", is_sqlite() ? "instr" : "strpos",
                       fmt::vformat(subject, fmt::make_format_args(shown)),
                       fmt::vformat(pattern, fmt::make_format_args(placeholder)));
  }

  const PushedColumn& column_;
  const Dialect dialect_;
  std::vector<Parameter>& parameters_;
  const std::string& name_;
};

}  // namespace

std::string by_bytes(const PushedColumn& column, Dialect dialect) {
  if (column.ours->type.id != TypeId::kText) return column.theirs->select;
  return fmt::format("{} COLLATE {}", column.theirs->select,
                     dialect == Dialect::kPostgres ? "\"C\"" : "BINARY");
}

std::optional<std::string> condition_of(const Filter& filter, const PushedColumn& column, Dialect dialect,
                                        std::vector<Parameter>& parameters) {
  const std::size_t before = parameters.size();
  std::optional<std::string> sql = Builder(column, dialect, parameters).build(filter);
  if (!sql) parameters.resize(before);
  return sql;
}

}  // namespace sluice::databases
