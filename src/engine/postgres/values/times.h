#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sluice/engine/batch.h"

namespace sluice::engine::postgres {

// Texts of the server with DateStyle ISO, IntervalStyle iso_8601 and the time zone UTC, as cells of batch.h.
// Nothing where a cell cannot hold it.
std::optional<std::int32_t> date_of(std::string_view text);
std::optional<std::int64_t> timestamp_of(std::string_view text);  // With or without +00 behind it.
std::optional<std::int64_t> time_of(std::string_view text);
std::optional<std::uint64_t> time_with_zone_of(std::string_view text);
std::optional<IntervalCell> interval_of(std::string_view text);

}  // namespace sluice::engine::postgres
