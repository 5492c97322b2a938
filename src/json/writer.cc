#include "sluice/json/writer.h"

#include <algorithm>
#include <array>
#include <bit>
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

// Eight bytes at once: how many of them, from the first on, are not below 0x20, not above 0x7f, and neither
// '"' nor '\\'. What one of these borrows while they are told apart only reaches the bytes after it.
std::size_t plain_bytes(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  constexpr std::uint64_t kHigh = 0x8080808080808080ULL;
  const std::uint64_t quote = word ^ (kOnes * '"');
  const std::uint64_t slash = word ^ (kOnes * '\\');
  const std::uint64_t below = (word - kOnes * 0x20) | (quote - kOnes) | (slash - kOnes) | word;
  static_assert(std::endian::native == std::endian::little);
  return static_cast<std::size_t>(std::countr_zero(below & kHigh)) / 8;
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

// What stands for a byte that may not stand for itself.
struct Escape {
  std::array<char, 8> text{};
  std::size_t size = 0;
};

constexpr std::array<Escape, 128> kEscapes = [] {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::array<Escape, 128> table{};
  for (std::size_t i = 0; i < 0x20; ++i)
    table[i] = {.text = {'\\', 'u', '0', '0', kHex[i >> 4U], kHex[i & 15U]}, .size = 6};
  constexpr std::string_view kShort = "\"\"\\\\\nn\rr\tt\bb\ff";
  for (std::size_t i = 0; i < kShort.size(); i += 2)
    table[static_cast<unsigned char>(kShort[i])] = {.text = {'\\', kShort[i + 1]}, .size = 2};
  return table;
}();

}  // namespace

namespace {

// How much of `text` from `from` on stands in a string as it is.
std::size_t plain_end(std::string_view text, std::size_t from) {
  std::size_t i = from;
  while (i < text.size()) {
    if (i + 8 <= text.size()) {
      const std::size_t plain = plain_bytes(text.data() + i);
      i += plain;
      if (plain == 8) continue;
    } else if (text.size() >= 8 && plain_bytes(text.data() + text.size() - 8) == 8) {
      return text.size();  // The last eight bytes, of which the first few have been looked at before.
    }
    const std::uint8_t kind = kClass[static_cast<unsigned char>(text[i])];
    if (kind == 0) {
      ++i;
      continue;
    }
    const std::size_t length = kind == 2 ? utf8_length(text.substr(i)) : 0;
    if (length == 0) return i;
    i += length;
  }
  return i;
}

// JSON within a string has a quote every few bytes: what is copied goes by words through a small buffer,
// because appending each piece to the string would cost more than the piece.
void append_escaped(std::string& out, std::string_view text) {
  constexpr std::size_t kStepBytesMax = 8;  // The most that one step writes.
  std::array<char, 2048> buffer;            // NOLINT(*-member-init): written before it is read.
  char* to = buffer.data();
  const char* const full = buffer.data() + buffer.size() - 2 * kStepBytesMax;
  std::size_t i = 0;
  while (i < text.size()) {
    if (to > full) {
      out.append(buffer.data(), to);
      to = buffer.data();
    }
    if (i + 8 <= text.size()) {
      const std::size_t plain = plain_bytes(text.data() + i);
      std::memcpy(to, text.data() + i, 8);
      to += plain;
      i += plain;
      if (plain == 8) continue;
    }
    const std::uint8_t kind = kClass[static_cast<unsigned char>(text[i])];
    if (kind == 1) {
      const Escape& escape = kEscapes[static_cast<unsigned char>(text[i++])];
      std::memcpy(to, escape.text.data(), escape.text.size());
      to += escape.size;
      continue;
    }
    const std::size_t length = kind == 0 ? 1 : utf8_length(text.substr(i));
    const std::string_view piece = length == 0 ? kReplacement : text.substr(i, length);
    std::memcpy(to, piece.data(), piece.size());
    to += piece.size();
    i += std::max<std::size_t>(length, 1);
  }
  out.append(buffer.data(), to);
}

}  // namespace

void append_string(std::string& out, std::string_view text) {
  if (out.capacity() - out.size() < text.size() + 2)
    out.reserve(std::max<std::size_t>(2 * out.capacity(), out.size() + text.size() + 256));
  out.push_back('"');
  const std::size_t plain = plain_end(text, 0);
  out.append(text.substr(0, plain));
  if (plain < text.size()) append_escaped(out, text.substr(plain));
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
