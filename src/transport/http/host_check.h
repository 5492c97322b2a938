#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"

namespace sluice::transport {

// The host[:port] of a Host header, an Origin or a setting. Strict: what a browser would not send does not
// parse.
struct HostPort {
  std::string host;  // Lower case; an IP literal in canonical form and without brackets.
  std::optional<std::uint16_t> port;
  bool is_address = false;

  static std::optional<HostPort> parse(std::string_view text);
  friend bool operator==(const HostPort&, const HostPort&) = default;
};

// Where the server listens and what its operator allows; see HttpServerOptions.
struct HostSettings {
  std::string host;     // As configured.
  std::string address;  // As bound.
  std::uint16_t port = 0;
  bool tls = false;
  std::vector<std::string> allowed_hosts;
  std::vector<std::string> allowed_origins;
  std::string public_host;
};

// Which Host and Origin headers are served. This is what stops DNS rebinding: a page of a name that its owner
// points at our address arrives with that name as Host, and with its own Origin. Immutable; any thread.
class HostRules {
 public:
  // Fails on an allowed host or origin that could never match, rather than ignoring it.
  static Result<HostRules> make(const HostSettings& settings);

  bool allows_host(std::string_view host) const;
  // `host` is the Host header of the same request, which has been allowed.
  bool allows_origin(std::string_view origin, std::string_view host) const;

 private:
  enum class Bound : std::uint8_t { kLoopback, kOneAddress, kWildcard };

  bool is_named(const HostPort& host) const;  // By the binding or by the operator.
  // Any program of this machine may serve pages from loopback, so that only our own port is ours.
  bool is_own_loopback(const HostPort& from, std::string_view scheme, std::string_view host) const;

  Bound bound_ = Bound::kLoopback;
  bool tls_ = false;
  std::uint16_t port_ = 0;
  std::uint16_t default_port_ = 80;
  std::vector<HostPort> named_;       // Without a port: any port.
  bool any_address_ = false;          // Any IP literal may be a Host.
  std::vector<std::string> origins_;  // Lower case.
};

}  // namespace sluice::transport
