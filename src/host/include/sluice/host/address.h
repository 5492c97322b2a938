#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sluice/base/result.h"

namespace sluice::host {

struct Address {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
};

// "8765", "127.0.0.1:8765", "localhost:0", "[::1]:8765".
Result<Address> parse_address(std::string_view text);

bool is_loopback(std::string_view host);

}  // namespace sluice::host
