#include "sluice/json/writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

namespace sluice::json {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

// What a byte needs inside a string: 0 nothing, 1 an escape, 2 a look at its UTF-8 sequence.
constexpr std::array<std::uint8_t, 256> kClass = [] {
  std::array<std::uint8_t, 256> table{};
  for (std::size_t i = 0; i < 0x20; ++i) table[i] = 1;
  table['"'] = 1;
  table['\\'] = 1;
  for (std::size_t i = 0x80; i < 0x100; ++i) table[i] = 2;
  return table;
}();

bool is_plain_word(const char* at) {
  // Eight bytes at once: none below 0x20, none above 0x7f, neither '"' nor '\'.
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  constexpr std::uint64_t kHigh = 0x8080808080808080ULL;
  const std::uint64_t quote = word ^ (kOnes * '"');
  const std::uint64_t slash = word ^ (kOnes * '\\');
  const std::uint64_t below = (word - kOnes * 0x20) | (quote - kOnes) | (slash - kOnes) | word;
  return (below & kHigh) == 0;
}

std::size_t utf8_length(std::string_view text) {
  const auto at = [&](std::size_t i) {
    return i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0};
  };
  const auto tail = [&](std::size_t i) { return (at(i) & 0xc0) == 0x80; };
  const std::uint8_t lead = at(0);
  if (lead >= 0xc2 && lead <= 0xdf && tail(1)) return 2;
  if (lead >= 0xe0 && lead <= 0xef && tail(1) && tail(2)) {
    if (lead == 0xe0 && at(1) < 0xa0) return 0;
    if (lead == 0xed && at(1) > 0x9f) return 0;
    return 3;
  }
  if (lead >= 0xf0 && lead <= 0xf4 && tail(1) && tail(2) && tail(3)) {
    if (lead == 0xf0 && at(1) < 0x90) return 0;
    if (lead == 0xf4 && at(1) > 0x8f) return 0;
    return 4;
  }
  return 0;
}

void append_escape(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  out += "\\u00";
  out.push_back(kHex[byte >> 4]);
  out.push_back(kHex[byte & 15]);
}

}  // namespace

void append_string(std::string& out, std::string_view text) {
  if (out.capacity() - out.size() < text.size() + 2)
    out.reserve(std::max<std::size_t>(2 * out.capacity(), out.size() + text.size() + 256));
  out.push_back('"');
  std::size_t done = 0;  // Everything before it is in `out`.
  std::size_t i = 0;
  while (i < text.size()) {
    if (i + 8 <= text.size()) {
      if (is_plain_word(text.data() + i)) {
        i += 8;
        continue;
      }
    } else if (text.size() >= 8 && is_plain_word(text.data() + text.size() - 8)) {
      break;  // The last eight bytes, of which the first few have been looked at before.
    }
    const std::uint8_t kind = kClass[static_cast<unsigned char>(text[i])];
    if (kind == 0) {
      ++i;
      continue;
    }
    if (kind == 2) {
      const std::size_t length = utf8_length(text.substr(i));
      if (length > 0) {
        i += length;
        continue;
      }
    }
    out.append(text.substr(done, i - done));
    if (kind == 1) {
      append_escape(out, text[i]);
    } else {
      out.append(kReplacement);
    }
    done = ++i;
  }
  out.append(text.substr(done));
  out.push_back('"');
}

void Writer::separate() {
  if (comma_) out_.push_back(',');
  comma_ = true;
}

Writer& Writer::begin_object() {
  separate();
  out_.push_back('{');
  comma_ = false;
  return *this;
}

Writer& Writer::end_object() {
  out_.push_back('}');
  comma_ = true;
  return *this;
}

Writer& Writer::begin_array() {
  separate();
  out_.push_back('[');
  comma_ = false;
  return *this;
}

Writer& Writer::end_array() {
  out_.push_back(']');
  comma_ = true;
  return *this;
}

Writer& Writer::key(std::string_view name) {
  separate();
  append_string(out_, name);
  out_.push_back(':');
  comma_ = false;
  return *this;
}

Writer& Writer::string(std::string_view text) {
  separate();
  append_string(out_, text);
  return *this;
}

Writer& Writer::boolean(bool value) { return raw(value ? "true" : "false"); }
Writer& Writer::null() { return raw("null"); }

Writer& Writer::number(std::int64_t value) {
  std::array<char, 24> buffer{};
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return raw(std::string_view(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data())));
}

Writer& Writer::number(std::uint64_t value) {
  std::array<char, 24> buffer{};
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return raw(std::string_view(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data())));
}

Writer& Writer::number(double value) {
  if (!std::isfinite(value)) return null();
  std::array<char, 32> buffer{};
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return raw(std::string_view(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data())));
}

Writer& Writer::raw(std::string_view json) {
  separate();
  out_.append(json);
  return *this;
}

Writer& Writer::value(const Value& value) {
  switch (value.type()) {
    case Type::kNull:
      return null();
    case Type::kBool:
      return boolean(*value.if_bool());
    case Type::kNumber:
      return raw(value.if_number()->text);
    case Type::kString:
      return string(*value.if_string());
    case Type::kArray:
      begin_array();
      for (const Value& item : *value.if_array()) this->value(item);
      return end_array();
    case Type::kObject:
      begin_object();
      for (const Member& member : *value.if_object()) key(member.key).value(member.value);
      return end_object();
  }
  return *this;
}

}  // namespace sluice::json
