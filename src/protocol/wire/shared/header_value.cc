#include "sluice/protocol/wire/header_value.h"

#include <algorithm>

#include "sluice/base/base64.h"
#include "sluice/base/text.h"

namespace sluice::protocol {
namespace {

constexpr std::string_view kPrefix = "=?base64?";
constexpr std::string_view kSuffix = "?=";

bool is_wrapped(std::string_view value) {
  return value.size() >= kPrefix.size() + kSuffix.size() && value.starts_with(kPrefix) &&
         value.ends_with(kSuffix);
}

bool is_plain(std::string_view value) {
  return std::all_of(value.begin(), value.end(),
                     [](char c) { return (c >= 0x20 && c <= 0x7e) || c == '\t'; });
}

}  // namespace

std::optional<std::string> decode_header_value(std::string_view value) {
  if (!is_plain(value)) return std::nullopt;
  if (!is_wrapped(value)) return std::string(value);
  const std::string_view inner = value.substr(kPrefix.size(), value.size() - kPrefix.size() - kSuffix.size());
  std::optional<std::string> text = base64_decode(inner);
  if (text && !is_valid_utf8(*text)) return std::nullopt;
  return text;
}

std::string encode_header_value(std::string_view text) {
  const bool survives = is_plain(text) && trim_spaces(text) == text && !is_wrapped(text);
  if (survives) return std::string(text);
  return std::string(kPrefix) + base64_encode(text) + std::string(kSuffix);
}

}  // namespace sluice::protocol
