#pragma once

#include <string>
#include <string_view>

namespace sluice::crypto {

std::string sha256(std::string_view bytes);                             // 32 bytes
std::string hmac_sha256(std::string_view key, std::string_view bytes);  // 32 bytes

// Takes the same time whatever the bytes are; the lengths are not secret.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace sluice::crypto
