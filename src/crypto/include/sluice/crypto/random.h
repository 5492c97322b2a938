#pragma once

#include <cstddef>
#include <string>

namespace sluice::crypto {

// Bytes from the operating system's generator. Aborts where there is none: nothing we sign would be safe.
std::string random_bytes(std::size_t count);

// `bits` random bits (a multiple of 8) as URL-safe text: names for sessions, handles and tasks.
std::string random_token(std::size_t bits = 128);

}  // namespace sluice::crypto
