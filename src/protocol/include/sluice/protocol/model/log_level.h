#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::protocol {

// Severities of RFC 5424, least first: they compare by severity.
enum class LogLevel : std::uint8_t {
  kDebug,
  kInfo,
  kNotice,
  kWarning,
  kError,
  kCritical,
  kAlert,
  kEmergency
};

std::string_view to_string(LogLevel level);
std::optional<LogLevel> parse_log_level(std::string_view text);

}  // namespace sluice::protocol
