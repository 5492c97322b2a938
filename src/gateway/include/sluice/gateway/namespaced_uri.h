#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice::gateway {

// "My server" → "My_server": letters, digits, '_' and '-', beginning with a letter, within a bound.
std::string namespace_of(std::string_view name);

// The URIs of one upstream as the gateway gives them, and back. "file:///a" of the upstream `fs` is
// "fs+file:///a"; "ui://a" is "ui://fs/a", because hosts look at that scheme; what is no URI is
// "fs+raw:what%20it%20is". Two upstreams never share one. A namespace's '_' is written '.', and it is not
// told apart by case: schemes are not.
class UriSpace {
 public:
  explicit UriSpace(std::string_view name_space);

  const std::string& scheme() const { return scheme_; }
  std::optional<std::string> encode(std::string_view uri) const;  // Nothing where it is too long.
  std::optional<std::string> decode(std::string_view uri) const;  // Nothing where it is not of this upstream.
  std::optional<std::string> encode_template(std::string_view uri_template) const;

 private:
  std::string scheme_;
};

}  // namespace sluice::gateway
