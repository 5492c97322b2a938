#pragma once

#include <cstdint>
#include <string>

#include "sluice/engine/type.h"

namespace sluice::engine {

enum class Cast : std::uint8_t { kMust, kTry };  // kTry: null where the text denotes no value of the type.

// SQL for the value of a type that an expression of text denotes: JSON for a nested type, base64 for a blob.
std::string cast_sql(const std::string& text, const Type& type, Cast cast = Cast::kMust);

}  // namespace sluice::engine
