#include "binding.h"

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::engine::sqlite {

namespace {

void append_json_text(std::string& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (byte < 0x20) {
      ((out += "\\u00") += kDigits[byte >> 4U]) += kDigits[byte & 15U];
    } else {
      out += c;
    }
  }
  out += '"';
}

std::string json_array(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    if (out.size() > 1) out += ',';
    append_json_text(out, text);
  }
  return out += ']';
}

struct Bind {
  sqlite3_stmt* statement;
  int index;

  int operator()(std::monostate) const { return sqlite3_bind_null(statement, index); }
  int operator()(bool value) const { return sqlite3_bind_int(statement, index, value ? 1 : 0); }
  int operator()(std::int64_t value) const { return sqlite3_bind_int64(statement, index, value); }
  int operator()(double value) const { return sqlite3_bind_double(statement, index, value); }
  int operator()(const std::string& text) const {
    return sqlite3_bind_text64(statement, index, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  int operator()(const std::vector<std::string>& texts) const { return (*this)(json_array(texts)); }
};

Error wrong_count() {
  return invalid_input("bind values: as many as there are placeholders $1, $2, …").with_code("invalid_query");
}

// Which of the values stands at the place; 0 where the place has another name than a number.
std::size_t number_of(sqlite3_stmt* statement, int index) {
  const char* name = sqlite3_bind_parameter_name(statement, index);
  if (name == nullptr) return static_cast<std::size_t>(index);
  const std::string_view digits = std::string_view(name).substr(1);
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() ? number : 0;
}

}  // namespace

Status bind_values(sqlite3_stmt* statement, const std::vector<Parameter>& values) {
  const int places = sqlite3_bind_parameter_count(statement);
  if (static_cast<std::size_t>(places) != values.size()) return wrong_count();
  for (int index = 1; index <= places; ++index) {
    const std::size_t number = number_of(statement, index);
    if (number == 0 || number > values.size()) return wrong_count();
    if (std::visit(Bind{statement, index}, values[number - 1]) != SQLITE_OK) {
      return invalid_input("bind values: a value is too large").with_code("invalid_value");
    }
  }
  return {};
}

}  // namespace sluice::engine::sqlite
