#pragma once

#include <cstdint>
#include <string>

#include "sluice/engine/batch.h"

namespace sluice::render {

std::string date_text(std::int32_t days);                                 // 2026-11-15
std::string time_text(std::int64_t count, std::int64_t per_second);       // 12:34:56.789
std::string time_tz_text(std::uint64_t bits);                             // 12:34:56+04:00
std::string timestamp_text(std::int64_t count, std::int64_t per_second);  // 2026-11-15T12:34:56
std::string interval_text(engine::IntervalCell cell);                     // P1Y2M3DT4H5M6.7S

}  // namespace sluice::render
