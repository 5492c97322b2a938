#include "portal/search_syntax.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/text/letter_case.h"
#include "sluice/text/normalize.h"

namespace sluice::ckan {

namespace {

// Formats that CKAN or portals spell in mixed case. The field `res_format` distinguishes case.
constexpr std::array<std::string_view, 12> kMixedCaseFormats = {
    "Excel",   "GeoJSON", "GeoPackage", "GeoTIFF",  "JSON-LD", "NetCDF",
    "Parquet", "RDF/XML", "Shapefile",  "TopoJSON", "Turtle",  "Word"};

constexpr std::string_view kSpecial = "+-!(){}[]^~*?:\\/|&";

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

std::string upper_ascii(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

// title:water: a name right before a colon, outside of quotes.
bool names_a_field(std::string_view q) {
  bool in_quotes = false;
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (q[i] == '"' && (i == 0 || q[i - 1] != '\\')) in_quotes = !in_quotes;
    const bool is_colon = q[i] == ':' && !in_quotes && i > 0 && i + 1 < q.size();
    if (is_colon && (is_word(q[i - 1]) || q[i - 1] == '*') && q[i + 1] != ' ') return true;
  }
  return false;
}

struct Unit {
  std::string_view name;
  std::chrono::seconds seconds;
  int months;
};
constexpr std::array<Unit, 10> kUnits = {{{"DAYS", std::chrono::hours(24), 0},
                                          {"DAY", std::chrono::hours(24), 0},
                                          {"WEEKS", std::chrono::hours(24 * 7), 0},
                                          {"WEEK", std::chrono::hours(24 * 7), 0},
                                          {"HOURS", std::chrono::hours(1), 0},
                                          {"HOUR", std::chrono::hours(1), 0},
                                          {"MONTHS", {}, 1},
                                          {"MONTH", {}, 1},
                                          {"YEARS", {}, 12},
                                          {"YEAR", {}, 12}}};

WallTime moved(WallTime time, const Unit& unit, int amount) {
  if (unit.months == 0) return time + unit.seconds * amount;
  const auto day = std::chrono::floor<std::chrono::days>(time);
  std::chrono::year_month_day date(day);
  date += std::chrono::months(unit.months * amount);
  if (!date.ok()) date = date.year() / date.month() / std::chrono::last;
  return WallTime(std::chrono::sys_days(date)) + (time - day);
}

// NOW, NOW-30DAYS, NOW-1YEAR/DAY at the start of `text`: what it means, and how long it is.
struct Moment {
  std::string text;
  std::size_t size = 0;
};
std::optional<Moment> moment_at(std::string_view text, WallTime now) {
  constexpr int kAmountMax = 100'000;
  constexpr std::string_view kNow = "NOW";
  if (!text.starts_with(kNow)) return std::nullopt;
  std::size_t at = kNow.size();
  WallTime time = now;
  while (at < text.size() && (text[at] == '-' || text[at] == '+' || text[at] == '/')) {
    const char sign = text[at++];
    int amount = 0;
    if (sign != '/') {
      const auto parsed = std::from_chars(text.data() + at, text.data() + text.size(), amount);
      if (parsed.ec != std::errc{} || amount > kAmountMax || amount < 0) return std::nullopt;
      at = static_cast<std::size_t>(parsed.ptr - text.data());
    }
    const Unit* unit = nullptr;
    for (const Unit& each : kUnits) {
      if (unit == nullptr && text.substr(at).starts_with(each.name)) unit = &each;
    }
    if (unit == nullptr) return std::nullopt;
    at += unit->name.size();
    if (sign == '/') {
      time = std::chrono::floor<std::chrono::days>(time);
    } else {
      time = moved(time, *unit, sign == '-' ? -amount : amount);
    }
  }
  if (at < text.size() && is_word(text[at])) return std::nullopt;
  std::string iso = format_utc(time);
  return Moment{.text = iso.substr(0, iso.find('.')) + "Z", .size = at};
}

}  // namespace

std::string quoted_phrase(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string format_filter(std::string_view format) {
  std::vector<std::string> spellings{to_lower_ascii(format), upper_ascii(format)};
  const auto add = [&](std::string_view spelling) {
    if (std::find(spellings.begin(), spellings.end(), spelling) == spellings.end())
      spellings.emplace_back(spelling);
  };
  add(format);
  for (const std::string_view known : kMixedCaseFormats) {
    if (equal_ignoring_case(known, format)) add(known);
  }
  std::string out;
  for (const std::string_view field : {"res_format", "distribution_format"}) {
    for (const std::string& spelling : spellings)
      out += fmt::format("{}{}:{}", out.empty() ? "(" : " OR ", field, quoted_phrase(spelling));
  }
  return out + ")";
}

std::string in_text_field(std::string_view q) {
  if (q == "*:*" || q.empty() || names_a_field(q)) return std::string(q);
  std::string out = "text:(";
  for (const char c : q) {
    if (kSpecial.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out + ')';
}

std::string pattern_word(std::string_view text) {
  std::string out;
  for (const char c : text::to_lower(text)) {
    if (kSpecial.find(c) != std::string_view::npos || c == '"' || c == ' ') out += '\\';
    out += c;
  }
  return out;
}

std::string with_dates(std::string_view query, WallTime now) {
  std::string out;
  bool in_dates = false;
  for (std::size_t i = 0; i < query.size();) {
    for (const std::string_view field : {"issued:[", "modified:["}) {
      const bool begins = query.substr(i).starts_with(field) && (i == 0 || !is_word(query[i - 1]));
      in_dates = in_dates || begins;
    }
    if (query[i] == ']') in_dates = false;
    const std::optional<Moment> moment =
        in_dates && (i == 0 || !is_word(query[i - 1])) ? moment_at(query.substr(i), now) : std::nullopt;
    if (moment) {
      out += moment->text;
      i += moment->size;
    } else {
      out += query[i++];
    }
  }
  return out;
}

std::string without_accents(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    bool is_plain = true;
    while (end < text.size() && (is_word(text[end]) || !is_ascii(text[end])))
      is_plain = is_ascii(text[end++]) && is_plain;
    if (end == i) {
      out += text[i++];
      continue;
    }
    const std::string_view word = text.substr(i, end - i);
    out += is_plain ? std::string(word) : text::normalize(word);
    i = end;
  }
  return out;
}

}  // namespace sluice::ckan
