#include "sluice/gateway/name_table.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "sluice/crypto/digest.h"

namespace sluice::gateway {
namespace {

constexpr std::size_t kDottedBytesMax = 128;  // The specification's bound,
constexpr std::size_t kSafeBytesMax = 64;     // and the one of the hosts that are strict.
constexpr std::size_t kDigestBytes = 4;

std::size_t bytes_max(NameStyle style) { return style == NameStyle::kSafe ? kSafeBytesMax : kDottedBytesMax; }

std::string spelled(const NameTable::Thing& thing, NameStyle style) {
  std::string out = thing.name_space + (style == NameStyle::kSafe ? "_" : ".");
  for (const char c : thing.name) {
    const bool is_plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
    out += is_plain || (c == '.' && style == NameStyle::kDotted) ? c : '_';
  }
  return out;
}

std::string with_digest(const NameTable::Thing& thing, NameStyle style) {
  std::string digits;
  for (const char byte : crypto::sha256(thing.name_space + '\n' + thing.name).substr(0, kDigestBytes))
    digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  const std::string name = spelled(thing, style);
  return name.substr(0, bytes_max(style) - digits.size() - 1) + "_" + digits;
}

}  // namespace

NameTable::NameTable(std::vector<Thing> things, NameStyle style) {
  // Promised names first, then those that need no change, then the rest: each in an order of their own.
  const auto rank = [style](const Thing& thing) {
    const std::string plain = thing.name_space + (style == NameStyle::kSafe ? "_" : ".") + thing.name;
    return std::make_tuple(!thing.is_generated, spelled(thing, style) != plain, thing.name_space, thing.name);
  };
  std::sort(things.begin(), things.end(), [&](const Thing& a, const Thing& b) { return rank(a) < rank(b); });
  for (Thing& thing : things) {
    std::string name = spelled(thing, style);
    if (name.size() > bytes_max(style) || listed_.contains(name)) name = with_digest(thing, style);
    listed_.emplace(std::move(name), std::move(thing));  // Of the same thing twice, the first stays.
  }
  for (const auto& [listed, thing] : listed_) {
    for (const NameStyle other : {NameStyle::kDotted, NameStyle::kSafe}) {
      const std::string name = spelled(thing, other);
      if (listed_.contains(name)) continue;
      const auto [at, added] = others_.emplace(name, listed);
      if (!added && at->second != listed) at->second.clear();
    }
  }
}

const NameTable::Thing* NameTable::find(std::string_view listed) const {
  const auto at = listed_.find(listed);
  return at == listed_.end() ? nullptr : &at->second;
}

std::string NameTable::listed_name(std::string_view name) const {
  const auto at = others_.find(name);
  return at == others_.end() ? std::string() : at->second;
}

}  // namespace sluice::gateway
