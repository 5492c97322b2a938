#include "sluice/fetch/address.h"

#include <algorithm>
#include <span>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace sluice::fetch {

namespace {

struct Range4 {
  Address::V4 first;
  unsigned bits;
  AddressKind kind;
};
struct Range6 {
  Address::V6 first;
  unsigned bits;
  AddressKind kind;
};

// The first that has the address decides.
constexpr std::array kRanges4 = {
    Range4{{255, 255, 255, 255}, 32, AddressKind::kBroadcast},
    Range4{{169, 254, 169, 254}, 32, AddressKind::kMetadata},
    Range4{{169, 254, 170, 2}, 32, AddressKind::kMetadata},
    Range4{{100, 100, 100, 200}, 32, AddressKind::kMetadata},
    Range4{{0, 0, 0, 0}, 8, AddressKind::kUnspecified},
    Range4{{10, 0, 0, 0}, 8, AddressKind::kPrivate},
    Range4{{100, 64, 0, 0}, 10, AddressKind::kSharedNetwork},
    Range4{{127, 0, 0, 0}, 8, AddressKind::kLoopback},
    Range4{{169, 254, 0, 0}, 16, AddressKind::kLinkLocal},
    Range4{{172, 16, 0, 0}, 12, AddressKind::kPrivate},
    Range4{{192, 0, 0, 0}, 24, AddressKind::kReserved},
    Range4{{192, 0, 2, 0}, 24, AddressKind::kDocumentation},
    Range4{{192, 88, 99, 0}, 24, AddressKind::kTranslated},
    Range4{{192, 168, 0, 0}, 16, AddressKind::kPrivate},
    Range4{{198, 18, 0, 0}, 15, AddressKind::kBenchmark},
    Range4{{198, 51, 100, 0}, 24, AddressKind::kDocumentation},
    Range4{{203, 0, 113, 0}, 24, AddressKind::kDocumentation},
    Range4{{224, 0, 0, 0}, 4, AddressKind::kMulticast},
    Range4{{240, 0, 0, 0}, 4, AddressKind::kReserved},
};

constexpr std::array kRanges6 = {
    Range6{{}, 128, AddressKind::kUnspecified},
    Range6{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 128, AddressKind::kLoopback},
    Range6{{0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0x54}, 128, AddressKind::kMetadata},
    Range6{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96, AddressKind::kMapped},
    Range6{{0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96, AddressKind::kTranslated},
    Range6{{}, 96, AddressKind::kTranslated},                           // ::192.0.2.1, long deprecated.
    Range6{{0, 0x64, 0xff, 0x9b}, 96, AddressKind::kTranslated},        // NAT64.
    Range6{{0, 0x64, 0xff, 0x9b, 0, 1}, 48, AddressKind::kTranslated},  // NAT64 of one's own.
    Range6{{0x20, 0x01}, 32, AddressKind::kTranslated},                 // Teredo.
    Range6{{0x20, 0x01, 0, 2}, 48, AddressKind::kBenchmark},
    Range6{{0x20, 0x01}, 23, AddressKind::kReserved},  // Protocols' own.
    Range6{{0x20, 0x01, 0x0d, 0xb8}, 32, AddressKind::kDocumentation},
    Range6{{0x20, 0x02}, 16, AddressKind::kTranslated},  // 6to4.
    Range6{{0x3f, 0xff}, 20, AddressKind::kDocumentation},
    Range6{{0x20}, 3, AddressKind::kPublic},
    Range6{{0xfc}, 7, AddressKind::kPrivate},
    Range6{{0xfe, 0x80}, 10, AddressKind::kLinkLocal},
    Range6{{0xfe, 0xc0}, 10, AddressKind::kLinkLocal},  // Once "site-local".
    Range6{{0xff}, 8, AddressKind::kMulticast},
};

bool has_prefix(std::span<const std::uint8_t> address, std::span<const std::uint8_t> prefix, unsigned bits) {
  const std::size_t whole = bits / 8;
  if (!std::equal(prefix.begin(), prefix.begin() + static_cast<std::ptrdiff_t>(whole), address.begin()))
    return false;
  const unsigned left = bits % 8;
  if (left == 0) return true;
  const auto mask = static_cast<std::uint8_t>(0xFFU << (8 - left));
  return (address[whole] & mask) == (prefix[whole] & mask);
}

}  // namespace

Address Address::of(const V4& bytes) {
  Address out;
  std::copy(bytes.begin(), bytes.end(), out.bytes_.begin());
  out.is_v4_ = true;
  return out;
}

Address Address::of(const V6& bytes) {
  Address out;
  out.bytes_ = bytes;
  return out;
}

std::optional<Address> Address::parse(std::string_view text) {
  const std::string copy(text);
  if (copy.find('\0') != std::string::npos) return std::nullopt;
  V4 four{};
  if (::inet_pton(AF_INET, copy.c_str(), four.data()) == 1) return of(four);
  V6 six{};
  if (::inet_pton(AF_INET6, copy.c_str(), six.data()) == 1) return of(six);
  return std::nullopt;
}

std::string Address::text() const {
  std::array<char, INET6_ADDRSTRLEN> out{};
  ::inet_ntop(is_v4_ ? AF_INET : AF_INET6, bytes_.data(), out.data(), out.size());
  return out.data();
}

std::string_view to_string(AddressKind kind) {
  switch (kind) {
    case AddressKind::kPublic:
      return "public";
    case AddressKind::kLoopback:
      return "loopback";
    case AddressKind::kPrivate:
      return "private";
    case AddressKind::kSharedNetwork:
      return "shared network";
    case AddressKind::kLinkLocal:
      return "link-local";
    case AddressKind::kMetadata:
      return "metadata service";
    case AddressKind::kMulticast:
      return "multicast";
    case AddressKind::kUnspecified:
      return "unspecified";
    case AddressKind::kBroadcast:
      return "broadcast";
    case AddressKind::kDocumentation:
      return "documentation";
    case AddressKind::kBenchmark:
      return "benchmark";
    case AddressKind::kTranslated:
      return "translated";
    case AddressKind::kMapped:
      return "mapped";
    case AddressKind::kReserved:
      return "reserved";
  }
  return "reserved";
}

AddressKind classify(const Address& address) {
  if (address.is_v4()) {
    const Address::V4 four = address.v4();
    for (const Range4& range : kRanges4) {
      if (has_prefix(four, range.first, range.bits)) return range.kind;
    }
    return AddressKind::kPublic;
  }
  for (const Range6& range : kRanges6) {
    if (has_prefix(address.bytes(), range.first, range.bits)) return range.kind;
  }
  return AddressKind::kReserved;  // IPv6 is given out in 2000::/3 alone.
}

bool may_connect(const Address& address, bool allow_private) {
  const AddressKind kind = classify(address);
  if (kind == AddressKind::kPublic) return true;
  if (!allow_private) return false;
  if (kind == AddressKind::kMapped) {
    const Address::V6& bytes = address.bytes();
    return may_connect(Address::of(Address::V4{bytes[12], bytes[13], bytes[14], bytes[15]}), true);
  }
  return kind == AddressKind::kLoopback || kind == AddressKind::kPrivate ||
         kind == AddressKind::kSharedNetwork;
}

}  // namespace sluice::fetch
