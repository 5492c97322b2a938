#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::client {

// Which request a message answers that cannot be read as a whole: too deep, with a number or an error code
// that is none, or damaged behind its id. Looks for a whole number as `id` of the outermost object, and for
// no `method` there. Nothing if there is none.
std::optional<std::int64_t> answered_id(std::string_view message);

}  // namespace sluice::client
