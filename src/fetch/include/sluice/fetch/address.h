#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::fetch {

// An IP address by value. It has one spelling here, whatever it was written as.
class Address {
 public:
  using V4 = std::array<std::uint8_t, 4>;
  using V6 = std::array<std::uint8_t, 16>;

  static Address of(const V4& bytes);
  static Address of(const V6& bytes);
  // "192.0.2.1" or "2001:db8::1". Nothing for any other spelling: no octal, hexadecimal or shortened form, no
  // zone, no brackets.
  static std::optional<Address> parse(std::string_view text);

  bool is_v4() const { return is_v4_; }
  const V6& bytes() const { return bytes_; }  // Of an IPv4 address: its four bytes, then zeros.
  V4 v4() const { return {bytes_[0], bytes_[1], bytes_[2], bytes_[3]}; }
  std::string text() const;

  friend bool operator==(const Address&, const Address&) = default;

 private:
  V6 bytes_{};
  bool is_v4_ = false;
};

// What an address is for, as the registries of special-purpose addresses say.
enum class AddressKind : std::uint8_t {
  kPublic,
  kLoopback,
  kPrivate,        // RFC 1918 and fc00::/7.
  kSharedNetwork,  // 100.64.0.0/10, behind a carrier's translator.
  kLinkLocal,
  kMetadata,  // Where clouds tell a machine its secrets.
  kMulticast,
  kUnspecified,
  kBroadcast,
  kDocumentation,
  kBenchmark,
  kTranslated,  // An IPv4 address within: NAT64, 6to4, Teredo and the like.
  kMapped,      // ::ffff:0:0/96, which the system connects to by IPv4.
  kReserved,
};
std::string_view to_string(AddressKind kind);  // "loopback", "private", …
AddressKind classify(const Address& address);

// Whether a connection may go there. Public addresses always; loopback, private and shared networks where
// `allow_private` says so, also where they are mapped into IPv6. Nothing else ever.
bool may_connect(const Address& address, bool allow_private);

}  // namespace sluice::fetch
