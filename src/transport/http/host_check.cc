#include "http/host_check.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <arpa/inet.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"

namespace sluice::transport {
namespace {

constexpr std::array<std::string_view, 3> kLoopbackNames = {"localhost", "127.0.0.1", "::1"};

// Both families through the system's own parser and back, so that every spelling of an address compares
// equal.
std::optional<std::string> canonical_address(const std::string& text, int family) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  std::array<char, INET6_ADDRSTRLEN> out{};
  if (inet_pton(family, text.c_str(), bytes.data()) != 1) return std::nullopt;
  if (inet_ntop(family, bytes.data(), out.data(), out.size()) == nullptr) return std::nullopt;
  return std::string(out.data());
}

bool is_name(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), allowed);
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), port);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size() || text.empty()) return std::nullopt;
  return port;
}

bool is_loopback(std::string_view address) { return address.starts_with("127.") || address == "::1"; }
bool is_wildcard(std::string_view address) { return address == "0.0.0.0" || address == "::"; }

// "https://app.example.org:8443" in its two parts.
struct Origin {
  std::string_view scheme;  // Kept alive by the caller's text, as is `authority`.
  std::string_view authority;
};
std::optional<Origin> split_origin(std::string_view text) {
  const std::size_t at = text.find("://");
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  Origin origin{.scheme = text.substr(0, at), .authority = text.substr(at + 3)};
  if (origin.authority.empty() || origin.authority.find_first_of("/?#@ ") != std::string_view::npos)
    return std::nullopt;
  return origin;
}

}  // namespace

std::optional<HostPort> HostPort::parse(std::string_view text) {
  if (text.empty() || text.size() > kHttpHostBytesMax) return std::nullopt;
  const bool bracketed = text.front() == '[';
  const std::size_t end = bracketed ? text.find(']') : text.find(':');
  if (bracketed && end == std::string_view::npos) return std::nullopt;

  HostPort out;
  std::string_view rest =
      end == std::string_view::npos ? std::string_view() : text.substr(bracketed ? end + 1 : end);
  if (!rest.empty()) {
    if (rest.front() != ':') return std::nullopt;
    out.port = parse_port(rest.substr(1));
    if (!out.port) return std::nullopt;
  }
  if (bracketed) {
    std::optional<std::string> address = canonical_address(std::string(text.substr(1, end - 1)), AF_INET6);
    if (!address) return std::nullopt;
    out.host = *std::move(address);
    out.is_address = true;
    return out;
  }
  out.host = to_lower_ascii(text.substr(0, end));
  out.is_address = canonical_address(out.host, AF_INET).has_value();
  if (!out.is_address && !is_name(out.host)) return std::nullopt;
  return out;
}

Result<HostRules> HostRules::make(const HostSettings& settings) {
  HostRules rules;
  rules.tls_ = settings.tls;
  rules.port_ = settings.port;
  rules.default_port_ = settings.tls ? 443 : 80;
  if (is_loopback(settings.address)) {
    rules.bound_ = Bound::kLoopback;
    rules.named_.push_back({.host = settings.address, .port = {}, .is_address = true});
    for (const std::string_view name : kLoopbackNames) {
      rules.named_.push_back({.host = std::string(name), .port = {}, .is_address = name != "localhost"});
    }
  } else if (is_wildcard(settings.address)) {
    rules.bound_ = Bound::kWildcard;
    rules.any_address_ = settings.allowed_hosts.empty();
  } else {
    rules.bound_ = Bound::kOneAddress;
    rules.named_.push_back({.host = settings.address, .port = settings.port, .is_address = true});
  }
  const std::optional<HostPort> given = HostPort::parse(settings.host);
  if (given && !given->port && !given->is_address) {
    rules.named_.push_back({.host = given->host, .port = settings.port});
  }
  for (const std::string& text : settings.allowed_hosts) {
    std::optional<HostPort> host = HostPort::parse(text);
    if (!host) return invalid_input("read an allowed host, name or name:port: " + excerpt(text));
    rules.named_.push_back(*std::move(host));
  }
  if (!settings.public_host.empty()) {
    std::optional<HostPort> host = HostPort::parse(settings.public_host);
    if (!host)
      return invalid_input("read the public host, name or name:port: " + excerpt(settings.public_host));
    host->port.reset();  // A proxy may listen on another port, and pass its own name on.
    rules.named_.push_back(*std::move(host));
  }
  for (const std::string& text : settings.allowed_origins) {
    if (!split_origin(text))
      return invalid_input("read an allowed origin, scheme://host[:port]: " + excerpt(text));
    rules.origins_.push_back(to_lower_ascii(text));
  }
  return rules;
}

bool HostRules::is_named(const HostPort& host) const {
  const std::uint16_t port = host.port.value_or(default_port_);
  return std::any_of(named_.begin(), named_.end(), [&](const HostPort& named) {
    return named.host == host.host && (!named.port || *named.port == port);
  });
}

bool HostRules::allows_host(std::string_view host) const {
  const std::optional<HostPort> parsed = HostPort::parse(host);
  if (!parsed) return false;
  if (is_named(*parsed)) return true;
  if (bound_ != Bound::kWildcard) return false;
  if (any_address_ && parsed->is_address) return true;
  return std::find(kLoopbackNames.begin(), kLoopbackNames.end(), parsed->host) != kLoopbackNames.end();
}

bool HostRules::is_own_loopback(const HostPort& from, std::string_view scheme, std::string_view host) const {
  const std::uint16_t port = from.port.value_or(scheme == "https" ? std::uint16_t{443} : std::uint16_t{80});
  if (bound_ == Bound::kLoopback && port == port_) return scheme == (tls_ ? "https" : "http");
  // Through a tunnel or a proxy the port is another one, and then the same in both headers.
  const std::optional<HostPort> to = HostPort::parse(host);
  return to && to->host == from.host && to->port.value_or(default_port_) == port;
}

bool HostRules::allows_origin(std::string_view origin, std::string_view host) const {
  const std::string text = to_lower_ascii(origin);
  if (std::find(origins_.begin(), origins_.end(), text) != origins_.end()) return true;
  const std::optional<Origin> parts = split_origin(text);
  if (!parts || (parts->scheme != "http" && parts->scheme != "https")) return false;
  std::optional<HostPort> from = HostPort::parse(parts->authority);
  if (!from) return false;
  const bool is_local = is_loopback(from->host) || from->host == "localhost";
  if (is_local) return is_own_loopback(*from, parts->scheme, host);
  if (from == HostPort::parse(host)) return true;
  if (!from->port) from->port = parts->scheme == "https" ? std::uint16_t{443} : std::uint16_t{80};
  return is_named(*from);
}

}  // namespace sluice::transport
