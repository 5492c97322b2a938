#include "sql_bounds.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <string>

#include "sluice/base/text.h"

#include "sql_member.h"
#include "sql_node.h"
#include "sql_tree_check.h"

namespace sluice::expression {

namespace {

std::string_view function_name(const json::Value& expression) {
  const json::Value* name = expression.find("function_name");
  return name == nullptr || !name->is_string() ? std::string_view() : std::string_view(*name->if_string());
}

// What casts and trunc stand around: `INTERVAL 1 DAY` is written with both.
const json::Value& uncast(const json::Value& expression) {
  const json::Value* at = &expression;
  while (true) {
    const json::Value* next = nullptr;
    if (has_class(*at, "CAST")) next = at->find("child");
    if (has_class(*at, "FUNCTION") && function_name(*at) == "trunc") {
      const json::Value* children = at->find("children");
      const json::Array* items = children == nullptr ? nullptr : children->if_array();
      if (items != nullptr && items->size() == 1) next = &items->front();
    }
    if (next == nullptr) return *at;
    at = next;
  }
}

template <typename T>
std::optional<T> number_in(std::string_view text) {
  T number{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

// Days since 1970 of a text that begins with a date.
std::optional<double> day_of(std::string_view text) {
  if (text.size() < 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const std::optional<int> year = number_in<int>(text.substr(0, 4));
  const std::optional<unsigned> month = number_in<unsigned>(text.substr(5, 2));
  const std::optional<unsigned> day = number_in<unsigned>(text.substr(8, 2));
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(*month),
                                         std::chrono::day(*day)};
  if (!date.ok()) return std::nullopt;
  return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

// A number, or a date in days.
std::optional<double> place_of(const json::Value& expression) {
  if (const std::optional<std::int64_t> number = constant_number(expression))
    return static_cast<double>(*number);
  const std::string* text = constant_text(uncast(expression));
  return text == nullptr ? std::nullopt : day_of(*text);
}

struct Unit {
  std::string_view function;
  double days;  // At least.
};
constexpr std::array kUnits = {Unit{"to_years", 365},
                               Unit{"to_quarters", 90},
                               Unit{"to_months", 28},
                               Unit{"to_weeks", 7},
                               Unit{"to_days", 1},
                               Unit{"to_hours", 1.0 / 24},
                               Unit{"to_minutes", 1.0 / 1440},
                               Unit{"to_seconds", 1.0 / 86400}};

// `1 day`, in days.
std::optional<double> interval_of(std::string_view text) {
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const std::optional<std::int64_t> count = number_in<std::int64_t>(text.substr(0, blank));
  std::string unit = "to_" + to_lower_ascii(text.substr(blank + 1));
  if (!unit.ends_with('s')) unit += 's';
  for (const Unit& known : kUnits) {
    if (count && known.function == unit) return known.days * static_cast<double>(*count);
  }
  return std::nullopt;
}

// A step of a series: a number, or an interval in days.
std::optional<double> step_of(const json::Value& expression) {
  if (const std::optional<std::int64_t> number = constant_number(expression))
    return static_cast<double>(*number);
  if (const std::string* text = constant_text(uncast(expression))) return interval_of(*text);
  const json::Value* children = expression.find("children");
  const json::Array* items = children == nullptr ? nullptr : children->if_array();
  if (items == nullptr || items->size() != 1) return std::nullopt;
  const std::optional<std::int64_t> count = constant_number(items->front());
  for (const Unit& unit : kUnits) {
    if (count && function_name(expression) == unit.function) return unit.days * static_cast<double>(*count);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> constant_number(const json::Value& expression) {
  const json::Value& inner = uncast(expression);
  if (!has_class(inner, "CONSTANT")) return std::nullopt;
  if (const std::string* text = constant_text(inner)) return number_in<std::int64_t>(*text);
  const json::Value* held = inner.find("value");
  const json::Value* type = held == nullptr ? nullptr : held->find("type");
  const json::Value* id = type == nullptr ? nullptr : type->find("id");
  const json::Value* value = held == nullptr ? nullptr : held->find("value");
  // A decimal is written without its point.
  if (id == nullptr || json::equal(*id, "DECIMAL") || value == nullptr || !value->is_number())
    return std::nullopt;
  return value->if_number()->as_int64();
}

Result<std::uint64_t> constant_count(const SqlFunction& function, const json::Array& arguments,
                                     std::size_t index, std::uint64_t most) {
  const std::optional<std::int64_t> number = constant_number(arguments[index]);
  if (number && *number >= 0 && static_cast<std::uint64_t>(*number) <= most)
    return static_cast<std::uint64_t>(*number);
  return refused(std::string(function.name) + " without a constant length")
      .with_hint("Its length must be written as a number, at most " + std::to_string(most) + ".");
}

Result<std::uint64_t> check_series(const SqlFunction& function, const json::Array& arguments,
                                   std::uint64_t steps_max) {
  const std::string hint =
      "Write constants: range(1, 10) or generate_series(DATE '2024-01-01', DATE '2024-12-31', INTERVAL 1 "
      "DAY), at most " +
      std::to_string(steps_max) + " steps. For the elements of a list use unnest(list).";
  const bool has_first = arguments.size() > 1;
  const std::optional<double> first = has_first ? place_of(arguments[0]) : 0;
  const std::optional<double> last = place_of(arguments[has_first ? 1 : 0]);
  const std::optional<double> step = arguments.size() > 2 ? step_of(arguments[2]) : 1;
  if (!first || !last || !step || *step == 0)
    return refused(std::string(function.name) + " of values that are not constant").with_hint(hint);
  // A time of the day may follow each date.
  const double steps = std::floor((std::fabs(*last - *first) + 1) / std::fabs(*step)) + 1;
  if (steps > static_cast<double>(steps_max))
    return refused(std::string(function.name) + " of so many steps").with_hint(hint);
  return static_cast<std::uint64_t>(steps);
}

Result<std::uint64_t> format_bytes(const SqlFunction& function, const json::Array& arguments) {
  constexpr std::uint64_t kWidthMax = 100;
  const std::string* format = constant_text(arguments[0]);
  if (format == nullptr) return refused(std::string(function.name) + " with a format that is not plain text");
  std::uint64_t number = 0;
  std::uint64_t widths = 0;
  for (const char character : *format) {
    const bool is_digit = character >= '0' && character <= '9';
    number = is_digit ? number * 10 + static_cast<std::uint64_t>(character - '0') : 0;
    if (number > kWidthMax || character == '*')
      return refused(std::string(function.name) + " with a width above 100 or taken from a value");
    if (is_digit || character == '%' || character == '{') widths += kWidthMax;
  }
  if (format->find(":{") != std::string::npos)
    return refused(std::string(function.name) + " with a width taken from a value");
  return format->size() + widths;
}

std::optional<std::uint64_t> constant_bytes(const json::Value& expression) {
  if (const std::string* text = constant_text(expression)) return text->size();
  const json::Value* children = expression.find("children");
  const json::Array* items = children == nullptr ? nullptr : children->if_array();
  if (function_name(expression) != "list_value" || items == nullptr) return std::nullopt;
  std::uint64_t bytes = 0;
  for (const json::Value& item : *items) {
    const std::string* text = constant_text(item);
    if (text == nullptr) return std::nullopt;
    bytes += text->size();
  }
  return bytes;
}

Result<bool> json_path_lists(const json::Value& path) {
  if (constant_number(path)) return false;
  const std::string* text = constant_text(path);
  if (text == nullptr) {
    return refused("a JSON path that is not plain text")
        .with_hint("Write the path itself: json_extract(column, '$.a.b'), or unnest a list of structs.");
  }
  if (text->find("..") == std::string::npos && text->find("**") == std::string::npos)
    return text->find('*') != std::string::npos;
  return refused("a JSON path with '..' or '**'").with_hint("Name every level: '$.a[*].b'.");
}

// A list of a million values that is repeated for every row of a join is copied two thousand times before the
// engine looks at its limits again. So is a text that a function takes; one that only passes is shared.
Status check_copies(bool repeats_rows, const Shape& used) {
  if (!repeats_rows || !used.collects()) return {};
  return refused(std::string(used.collects_lists ? "a collected list" : "a function of collected text") +
                 " in a query that joins or unnests")
      .with_hint(used.collects_lists ? "Join first, and collect with list(…) and GROUP BY in the outermost "
                                       "SELECT; string_agg(…) may be joined."
                                     : "Apply the function in the SELECT that has string_agg(…).");
}

}  // namespace sluice::expression
