#pragma once

#include <cstdint>

#include "sluice/json/value.h"

namespace sluice::server {

// About how many bytes of memory the values of an object take. Small values take many times their text: an
// array of empty arrays takes forty bytes for three.
std::uint64_t memory_bytes(const json::Object& object);

}  // namespace sluice::server
