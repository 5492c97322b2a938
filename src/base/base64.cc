#include "sluice/base/base64.h"

#include <array>
#include <cstdint>

namespace sluice {
namespace {

constexpr std::string_view kStandard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlSafe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint8_t kInvalid = 0xff;

constexpr std::array<std::uint8_t, 256> reverse(std::string_view alphabet) {
  std::array<std::uint8_t, 256> table{};
  table.fill(kInvalid);
  for (std::size_t i = 0; i < alphabet.size(); ++i)
    table[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
  return table;
}

constexpr auto kStandardReverse = reverse(kStandard);
constexpr auto kUrlSafeReverse = reverse(kUrlSafe);

std::string encode(std::string_view bytes, std::string_view alphabet, bool padded) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  std::size_t i = 0;
  const auto byte = [&](std::size_t at) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at]));
  };
  for (; i + 3 <= bytes.size(); i += 3) {
    const std::uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (int shift = 18; shift >= 0; shift -= 6) out.push_back(alphabet[group >> shift & 63]);
  }
  const std::size_t rest = bytes.size() - i;
  if (rest == 0) return out;
  const std::uint32_t group = byte(i) << 16 | (rest == 2 ? byte(i + 1) << 8 : 0);
  for (std::size_t k = 0; k <= rest; ++k) out.push_back(alphabet[group >> (18 - 6 * k) & 63]);
  if (padded) out.append(3 - rest, '=');
  return out;
}

std::optional<std::string> decode(std::string_view text, const std::array<std::uint8_t, 256>& table) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    const std::uint8_t value = table[static_cast<unsigned char>(c)];
    if (value == kInvalid) return std::nullopt;
    group = group << 6 | value;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out.push_back(static_cast<char>(group >> bits & 0xff));
    }
  }
  if (bits > 0 && (group & ((1U << bits) - 1)) != 0)
    return std::nullopt;  // Two texts would mean the same bytes.
  return out;
}

}  // namespace

std::string base64_encode(std::string_view bytes) { return encode(bytes, kStandard, true); }
std::string base64url_encode(std::string_view bytes) { return encode(bytes, kUrlSafe, false); }

std::optional<std::string> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  if (text.ends_with("==")) {
    text.remove_suffix(2);
  } else if (text.ends_with('=')) {
    text.remove_suffix(1);
  }
  return decode(text, kStandardReverse);
}

std::optional<std::string> base64url_decode(std::string_view text) { return decode(text, kUrlSafeReverse); }

}  // namespace sluice
