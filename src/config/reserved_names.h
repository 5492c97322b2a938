#pragma once

#include <string_view>

namespace sluice::config {

// Whether a collection or database may not have this name, because it means something else in SQL: `records`
// the data types of the record store, `handle` kept results, and the others schemas of the engine. In any
// case of its letters.
bool is_reserved_name(std::string_view name);

}  // namespace sluice::config
