#include "sluice/host/address.h"

#include <charconv>

#include <fmt/format.h>

#include "sluice/base/text.h"

namespace sluice::host {
namespace {

Error bad_address(std::string_view text) {
  return invalid_input(fmt::format("not an address: {}", excerpt(text)))
      .with_code("invalid_address")
      .with_hint("Use PORT or HOST:PORT, such as 127.0.0.1:8765.");
}

}  // namespace

Result<Address> parse_address(std::string_view text) {
  Address address;
  std::string_view port = text;
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    std::string_view host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) {
      host = host.substr(1, host.size() - 2);
    } else if (host.find(':') != std::string_view::npos) {
      return bad_address(text);  // An IPv6 address needs its brackets.
    }
    if (host.empty()) return bad_address(text);
    address.host = host;
    port = text.substr(colon + 1);
  }
  const auto parsed = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (port.empty() || parsed.ec != std::errc{} || parsed.ptr != port.data() + port.size())
    return bad_address(text);
  return address;
}

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" ||
         (host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos);
}

}  // namespace sluice::host
