#include "condition.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace sluice::databases {

namespace {

using engine::Dialect;
using engine::Parameter;
using engine::TypeId;
using expression::Filter;
using expression::FilterOp;

constexpr std::size_t kInValuesMax = 64;
constexpr std::size_t kPatternBytesMax = 4'096;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether `text` has the form, where 0 stands for a digit, x for a hexadecimal one and anything else for
// itself.
bool has_form(std::string_view text, std::string_view form) {
  if (text.size() != form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == '0') {
      if (!is_digit(text[i])) return false;
    } else if (form[i] == 'x') {
      if (std::string_view("0123456789abcdefABCDEF").find(text[i]) == std::string_view::npos) return false;
    } else if (text[i] != form[i]) {
      return false;
    }
  }
  return true;
}

unsigned number_at(std::string_view text, std::size_t from, std::size_t size) {
  unsigned value = 0;
  for (const char c : text.substr(from, size)) value = value * 10 + static_cast<unsigned>(c - '0');
  return value;
}

// 2024-05-17, and 2024-05-17T10:30:00 with a T or a space: databases know other words for times, and those
// mean other things in each. What is no day of the calendar each refuses in its own words.
bool is_time_text(std::string_view text, bool with_clock) {
  const bool has_clock = has_form(text, "0000-00-00T00:00:00") || has_form(text, "0000-00-00 00:00:00");
  if (!has_form(text, "0000-00-00") && !(with_clock && has_clock)) return false;
  const std::chrono::year_month_day day{std::chrono::year(static_cast<int>(number_at(text, 0, 4))),
                                        std::chrono::month(number_at(text, 5, 2)),
                                        std::chrono::day(number_at(text, 8, 2))};
  if (!day.ok() || number_at(text, 0, 4) == 0) return false;
  return !has_clock ||
         (number_at(text, 11, 2) < 24 && number_at(text, 14, 2) < 60 && number_at(text, 17, 2) < 60);
}

std::optional<std::int64_t> integer_of(std::string_view text) {
  std::int64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_plain_number(std::string_view text) {
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size() && !text.empty() &&
         (is_digit(text.back()) || text.back() == '.') && (is_digit(text.front()) || text.front() == '-');
}

// What the engine refuses as beyond its column's type, a database may take for a number like any other.
bool fits(std::int64_t value, TypeId id) {
  switch (id) {
    case TypeId::kInt16:
      return value == static_cast<std::int16_t>(value);
    case TypeId::kInt32:
      return value == static_cast<std::int32_t>(value);
    case TypeId::kUInt32:
      return value == static_cast<std::int64_t>(static_cast<std::uint32_t>(value));
    default:
      return id == TypeId::kInt64;
  }
}

// Whether `text` is such a number as it stands; the engine rounds what has more digits behind the point.
bool is_exact(std::string_view text, const engine::Type& type) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view fraction = text.substr(std::min(point + 1, text.size()));
  const auto is_digits = [](std::string_view part) {
    return part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  return point > 0 && is_digits(text.substr(0, point)) && is_digits(fraction) &&
         fraction.size() <= type.scale && point <= static_cast<std::size_t>(type.width - type.scale);
}

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
        return value.is_null() ? name_ + " IS NULL" : compare("=", value);
      case FilterOp::kNeq:
        return value.is_null() ? name_ + " IS NOT NULL" : compare("<>", value);
      case FilterOp::kGt:
        return compare(">", value);
      case FilterOp::kGte:
        return compare(">=", value);
      case FilterOp::kLt:
        return compare("<", value);
      case FilterOp::kLte:
        return compare("<=", value);
      case FilterOp::kIn:
        return in(value);
      case FilterOp::kRange:
        return range(value);
      case FilterOp::kContains:
        return contains(value, "{}", "{}");
      case FilterOp::kNormalizedContains:
        if (dialect_ != Dialect::kSqlite) return std::nullopt;
        return contains(value, "normalize_text({})", "normalize_text({})");
      case FilterOp::kRegex:  // The databases' own have another syntax.
        return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  std::string bind(Parameter parameter) {
    parameters_.push_back(std::move(parameter));
    return fmt::format("${}", parameters_.size());
  }

  std::string cast(const std::string& placeholder, std::string_view type) const {
    return dialect_ == Dialect::kPostgres ? fmt::format("{}::{}", placeholder, type) : placeholder;
  }

  static std::optional<std::string> text_of(const json::Value& value) {
    if (const std::string* text = value.if_string()) return *text;
    if (const json::Number* number = value.if_number()) return number->text;
    if (const bool* flag = value.if_bool()) return std::string(*flag ? "true" : "false");
    return std::nullopt;
  }

  // A placeholder for a value of the column's type.
  std::optional<std::string> operand(const json::Value& value) {
    const std::optional<std::string> text = text_of(value);
    if (!text) return std::nullopt;
    const TypeId id = column_.ours->type.id;
    if (id == TypeId::kText) return has_nul(*text) ? std::nullopt : std::optional(cast(bind(*text), "text"));
    if (id == TypeId::kBool) {
      if (*text != "true" && *text != "false") return std::nullopt;
      if (dialect_ == Dialect::kSqlite) return bind(std::int64_t{*text == "true" ? 1 : 0});
      return bind(*text == "true");
    }
    if (engine::is_integer(id)) {
      const std::optional<std::int64_t> number = integer_of(*text);
      if (!number || !fits(*number, id)) return std::nullopt;
      return bind(*number);
    }
    if (engine::is_number(id)) return number_operand(*text);
    return other_operand(id, *text);
  }

  std::optional<std::string> number_operand(const std::string& text) {
    if (!is_plain_number(text)) return std::nullopt;
    if (column_.ours->type.id == TypeId::kDecimal) {
      const bool same = dialect_ == Dialect::kPostgres && is_exact(text, column_.ours->type);
      return same ? std::optional(cast(bind(text), "numeric")) : std::nullopt;
    }
    if (column_.ours->type.id != TypeId::kDouble) return std::nullopt;
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return bind(value);
  }

  std::optional<std::string> other_operand(TypeId id, const std::string& text) {
    if (dialect_ != Dialect::kPostgres) return std::nullopt;
    if (id == TypeId::kDate && is_time_text(text, false)) return cast(bind(text), "date");
    if (id == TypeId::kTimestampUs && is_time_text(text, true)) return cast(bind(text), "timestamp");
    if (id == TypeId::kUuid && has_form(text, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"))
      return cast(bind(text), "uuid");
    return std::nullopt;
  }

  // PostgreSQL has no text with this character; nothing there is equal to it.
  static bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

  std::optional<std::string> compare(std::string_view sign, const json::Value& value) {
    const std::optional<std::string> placeholder = operand(value);
    if (!placeholder) return std::nullopt;
    const bool is_equality = sign == "=" || sign == "<>";
    // PostgreSQL's equality of what is selected is that of bytes, and its indexes serve it as it is.
    const bool as_it_is = is_equality && dialect_ == Dialect::kPostgres;
    return fmt::format("{} {} {}", as_it_is ? name_ : by_bytes(column_, dialect_), sign, *placeholder);
  }

  std::optional<std::string> in(const json::Value& value) {
    const json::Array* list = value.if_array();
    if (list == nullptr || list->empty() || list->size() > kInValuesMax) return std::nullopt;
    std::string values;
    bool with_null = false;
    for (const json::Value& one : *list) {
      if (one.is_null()) {
        with_null = true;
        continue;
      }
      const std::optional<std::string> placeholder = operand(one);
      if (!placeholder) return std::nullopt;
      values += (values.empty() ? "" : ", ") + *placeholder;
    }
    const std::string subject = dialect_ == Dialect::kPostgres ? name_ : by_bytes(column_, dialect_);
    std::string sql = values.empty() ? "1 = 0" : fmt::format("{} IN ({})", subject, values);
    return with_null ? fmt::format("({} OR {} IS NULL)", sql, name_) : sql;
  }

  std::optional<std::string> range(const json::Value& value) {
    const json::Object* bounds = value.if_object();
    if (bounds == nullptr) return std::nullopt;
    std::string sql;
    for (const auto& [key, sign] : {std::pair{"min", ">="}, std::pair{"max", "<="}}) {
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
    if (text == nullptr || column_.ours->type.id != TypeId::kText || has_nul(*text) ||
        text->size() > kPatternBytesMax)
      return std::nullopt;
    const std::string placeholder = cast(bind(*text), "text");
    return fmt::format("{}({}, {}) > 0", dialect_ == Dialect::kPostgres ? "strpos" : "instr",
                       fmt::vformat(subject, fmt::make_format_args(name_)),
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
