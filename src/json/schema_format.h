#pragma once

#include <cstdint>
#include <string_view>

namespace sluice::json {

// The formats that can be asserted. Any other one is a remark.
enum class SchemaFormat : std::uint8_t { kNone, kDate, kDateTime, kEmail, kUri, kUuid, kIpv4 };

SchemaFormat format_of(std::string_view name);
bool has_format(SchemaFormat format, std::string_view text);
// "a date like 2026-01-31".
std::string_view describe(SchemaFormat format);

}  // namespace sluice::json
