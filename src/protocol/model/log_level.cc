#include "sluice/protocol/model/log_level.h"

#include <array>
#include <cstddef>

namespace sluice::protocol {
namespace {

constexpr std::array<std::string_view, 8> kNames{"debug", "info",     "notice", "warning",
                                                 "error", "critical", "alert",  "emergency"};

}  // namespace

std::string_view to_string(LogLevel level) { return kNames.at(static_cast<std::size_t>(level)); }

std::optional<LogLevel> parse_log_level(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames.at(i) == text) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

}  // namespace sluice::protocol
