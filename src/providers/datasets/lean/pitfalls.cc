#include "lean/pitfalls.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"

namespace sluice::datasets::lean {

namespace {

using engine::TypeId;

constexpr std::size_t kColumnsMax = 60;
constexpr std::uint64_t kValuesMin = 3;  // Fewer values prove nothing.

// Ways to write a date as text which the engine does not read as a date by itself. The first that fits all
// values is the one.
constexpr std::array<std::string_view, 16> kDateFormats = {
    "%b %d %Y",       "%B %d, %Y", "%b %d, %Y",      "%d %b %Y",         "%d-%b-%y", "%d-%b-%Y",
    "%m/%d/%Y",       "%d/%m/%Y",  "%d.%m.%Y",       "%m/%d/%y",         "%b %Y",    "%Y/%m/%d",
    "%m/%d/%Y %H:%M", "%Y%m%d",    "%Y/%m/%d %H:%M", "%Y/%m/%d %H:%M:%S"};

bool is_text(const ColumnProfile& column) { return column.type.id == TypeId::kText; }

bool has_digit(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// What is counted of a column of text, in this order; dates and numbers only if its example has a digit.
constexpr std::size_t kAlwaysCounted = 4;  // Values, blank ones, values with blanks around them, in quotes.
constexpr std::size_t kNumberCounts = 3;   // Numbers, numbers with signs removed, codes with leading zeros.

std::string number_sql(std::string_view sql) {
  return fmt::format("regexp_replace({}, '[$€£%, ]', '', 'g')", sql);
}

// Whether a year is called so and is a date: `year = 2000` would not find it.
std::string year_pitfall(const ColumnProfile& column) {
  const bool is_date = column.type.id == TypeId::kDate || engine::is_temporal(column.type.id);
  if (!is_date || to_lower_ascii(column.path).find("year") == std::string::npos) return "";
  return fmt::format("a date: year({})", column.path);
}

bool is_checked(const ColumnProfile& column) { return is_text(column) && !column.example.empty(); }

// Where day and month can be told apart by no value, either order may be meant.
constexpr std::size_t kMonthFirst = 6;
constexpr std::size_t kDayFirst = 7;
static_assert(kDateFormats[kMonthFirst] == "%m/%d/%Y" && kDateFormats[kDayFirst] == "%d/%m/%Y");

std::string date_pitfall(const ColumnProfile& column, std::string_view prefix, std::uint64_t values,
                         const std::vector<std::uint64_t>& counts, std::size_t at) {
  if (counts[at + kMonthFirst] == values && counts[at + kDayFirst] == values)
    return fmt::format("dates as text; {}strptime({}, '%m/%d/%Y') if the month comes first", prefix,
                       column.path);
  for (std::size_t i = 0; i < kDateFormats.size(); ++i) {
    if (counts[at + i] == values)
      return fmt::format("dates as text: {}strptime({}, '{}')", prefix, column.path, kDateFormats[i]);
  }
  return "";
}

std::string number_pitfall(const ColumnProfile& column, std::string_view prefix, std::uint64_t values,
                           const std::vector<std::uint64_t>& counts, std::size_t at) {
  if (counts[at + 2] > 0) return "";  // Codes with leading zeros are text.
  if (counts[at] == values) return fmt::format("numbers as text: {}CAST({} AS DOUBLE)", prefix, column.path);
  if (counts[at + 1] == values)
    return fmt::format("numbers as text: {}CAST({} AS DOUBLE)", prefix, number_sql(column.path));
  return "";
}

}  // namespace

std::string pitfall_sql(const std::vector<ColumnProfile>& columns, std::uint64_t rows) {
  std::string counts;
  std::string list;
  std::size_t checked = 0;
  for (std::size_t i = 0; i < columns.size() && checked < kColumnsMax; ++i) {
    if (!is_checked(columns[i])) continue;
    ++checked;
    const std::string name = fmt::format("c{}", i);
    const std::string trimmed = fmt::format("trim({})", name);
    list += fmt::format("{}{} AS {}", list.empty() ? "" : ", ", columns[i].sql, name);
    counts += fmt::format(
        "{0}count(CASE WHEN {1} <> '' THEN 1 END), count(CASE WHEN {1} = '' THEN 1 END), "
        "count(CASE WHEN {2} <> {1} THEN 1 END), count(CASE WHEN "
        "{2} "
        "LIKE '\"%\"' OR {2} LIKE '''%''' THEN 1 END)",
        counts.empty() ? "" : ", ", trimmed, name);
    if (!has_digit(columns[i].example)) continue;
    counts += fmt::format(
        ", count(try_cast({0} AS DOUBLE)), count(try_cast({1} AS DOUBLE)), count(CASE WHEN {0} "
        "LIKE '0_%' AND {0} NOT LIKE '0.%' THEN 1 END)",
        trimmed, number_sql(trimmed));
    for (const std::string_view format : kDateFormats)
      counts += fmt::format(", count(try_strptime({}, '{}'))", trimmed, format);
  }
  if (list.empty()) return "";
  return fmt::format("SELECT {} FROM (SELECT {} FROM data LIMIT {})", counts, list, rows);
}

void tell_pitfalls(std::vector<ColumnProfile>& columns, const std::vector<std::uint64_t>& counts) {
  std::size_t at = 0;
  std::size_t checked = 0;
  for (ColumnProfile& column : columns) {
    column.pitfall = year_pitfall(column);
    if (!is_checked(column) || checked == kColumnsMax) continue;
    ++checked;
    const std::uint64_t values = counts[at];
    const bool has_blank = counts[at + 1] > 0;
    const std::uint64_t padded = counts[at + 2];
    const std::uint64_t quoted = counts[at + 3];
    at += kAlwaysCounted;
    if (has_digit(column.example)) {
      if (values >= kValuesMin) {
        // A text without characters is neither a number nor a date: it has to become null.
        const std::string_view prefix = has_blank ? "try_" : "";
        column.pitfall = number_pitfall(column, prefix, values, counts, at);
        if (column.pitfall.empty())
          column.pitfall = date_pitfall(column, prefix, values, counts, at + kNumberCounts);
      }
      at += kNumberCounts + kDateFormats.size();
    }
    if (!column.pitfall.empty()) continue;
    if (padded > 0) {
      column.pitfall = fmt::format("blanks around values: trim({})", column.path);
    } else if (quoted == values && values > 0) {
      column.pitfall = fmt::format("quotes around values: trim({}, '\"''')", column.path);
    }
  }
}

}  // namespace sluice::datasets::lean
