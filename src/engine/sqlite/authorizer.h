#pragma once

#include <cstdint>
#include <string_view>

namespace sluice::engine::sqlite {

enum class Origin : std::uint8_t { kStatement, kView };

// What a caller's statement may use besides the functions that were registered: nothing that reaches files,
// settings, other databases or the insides of this one.
bool is_permitted_function(std::string_view name, Origin origin);
bool is_permitted_table(std::string_view name);

}  // namespace sluice::engine::sqlite
