#pragma once

#include <cstdint>
#include <string_view>

namespace sluice::guard {

// Why a token is refused, as far as its bearer is told.
enum class TokenFault : std::uint8_t { kMalformed, kExpired, kNotYetValid, kSignature, kIssuer, kAudience };

// One sentence for the `error_description` of a challenge: no quotes, nothing of the token.
std::string_view describe(TokenFault fault);

}  // namespace sluice::guard
