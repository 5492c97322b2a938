#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/fetch/address.h"

namespace sluice::fetch {

// An http or https URL in one spelling: what is checked is what is asked for. Refused are user names, hosts
// that are neither a plain name nor an IP address as the book has it (octal, hexadecimal and short forms,
// zones, trailing dots, letters beyond ASCII), backslashes and control characters. Dot segments are
// resolved, a fragment is dropped.
class Url {
 public:
  static Result<Url> parse(std::string_view text);
  // What a reference within an answer from here means (RFC 3986, section 5.2).
  Result<Url> resolve(std::string_view reference) const;

  bool is_https() const { return is_https_; }
  const std::string& host() const { return host_; }  // In lower case; an IPv6 address without brackets.
  std::uint16_t port() const { return port_; }
  const std::string& path() const { return path_; }                   // From its slash on, percent-encoded.
  const std::optional<std::string>& query() const { return query_; }  // Without its question mark.
  std::optional<Address> address() const;                             // Where the host is one.

  // "https://api.example.org", "http://[::1]:8080". All that messages may have of a URL: paths and queries
  // can hold secrets.
  std::string origin() const;
  std::string text() const;

  friend bool operator==(const Url&, const Url&) = default;

 private:
  Status set_authority(std::string_view authority);
  void set_target(std::string_view target);

  bool is_https_ = false;
  std::string host_;
  std::uint16_t port_ = 0;
  std::string path_;
  std::optional<std::string> query_;
};

}  // namespace sluice::fetch
