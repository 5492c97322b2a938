#include "number_format.h"

#include <algorithm>

#include "sluice/base/text.h"

namespace sluice::sheets {

namespace {

// What the letters of a format stand for.
struct Letters {
  bool has_day = false;    // Days or years.
  bool has_clock = false;  // Hours or seconds.
  bool has_m = false;      // Months, or minutes beside hours or seconds.
  bool has_elapsed = false;
};

bool is_elapsed(std::string_view bracket) {
  if (bracket.empty()) return false;
  const std::string lower = to_lower_ascii(bracket);
  return std::string_view("hms").find(lower.front()) != std::string_view::npos &&
         std::all_of(lower.begin(), lower.end(), [&](char c) { return c == lower.front(); });
}

void note(char c, Letters& letters) {
  switch (c) {
    case 'd':
    case 'D':
    case 'y':
    case 'Y':
      letters.has_day = true;
      return;
    case 'h':
    case 'H':
    case 's':
    case 'S':
      letters.has_clock = true;
      return;
    case 'm':
    case 'M':
      letters.has_m = true;
      return;
    default:
      return;
  }
}

// Of the first section, which is that of positive numbers. Texts, escaped characters, fillers and colours say
// nothing.
Letters letters_of(std::string_view code) {
  Letters out;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    if (c == ';') break;
    if (c == '\\' || c == '_' || c == '*') {
      ++i;
    } else if (c == '"') {
      i = std::min(code.find('"', i + 1), code.size());
    } else if (c == '[') {
      const std::size_t close = std::min(code.find(']', i), code.size());
      out.has_elapsed = out.has_elapsed || is_elapsed(code.substr(i + 1, close - i - 1));
      i = close;
    } else {
      note(c, out);
    }
  }
  return out;
}

}  // namespace

NumberUse use_of_builtin_format(std::uint32_t id) {
  if (id == 22) return NumberUse::kDateTime;
  if (id == 46) return NumberUse::kDuration;
  if ((id >= 18 && id <= 21) || id == 32 || id == 33 || id == 45 || id == 47) return NumberUse::kTime;
  if (id >= 14 && id <= 17) return NumberUse::kDate;
  // Dates of East Asian versions.
  if ((id >= 27 && id <= 31) || (id >= 34 && id <= 36) || (id >= 50 && id <= 58)) return NumberUse::kDate;
  return NumberUse::kNumber;
}

NumberUse use_of_format_code(std::string_view code) {
  if (to_lower_ascii(code.substr(0, 7)) == "general") return NumberUse::kNumber;
  const Letters letters = letters_of(code);
  if (letters.has_elapsed) return NumberUse::kDuration;
  if (letters.has_day && letters.has_clock) return NumberUse::kDateTime;
  if (letters.has_clock) return NumberUse::kTime;
  return letters.has_day || letters.has_m ? NumberUse::kDate : NumberUse::kNumber;
}

}  // namespace sluice::sheets
