#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice {

// RFC 4648. Decoding is strict: exact padding (none in the URL-safe form), no white space, no stray bits.
std::string base64_encode(std::string_view bytes);
std::optional<std::string> base64_decode(std::string_view text);
std::string base64url_encode(std::string_view bytes);
std::optional<std::string> base64url_decode(std::string_view text);

}  // namespace sluice
