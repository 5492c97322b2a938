#include "sluice/base/clock.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace sluice {
namespace {

class SystemClock final : public Clock {
 public:
  Monotonic now() const override { return std::chrono::steady_clock::now(); }
  WallTime wall() const override { return std::chrono::system_clock::now(); }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

std::string format_utc(WallTime time) {
  const auto since_epoch = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch());
  const auto whole = std::chrono::floor<std::chrono::seconds>(since_epoch);
  const std::tm parts = fmt::gmtime(static_cast<std::time_t>(whole.count()));
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", parts, (since_epoch - whole).count());
}

}  // namespace sluice
