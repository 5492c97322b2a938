#include "sluice/catalog/call_timer.h"

#include <chrono>

#include "sluice/base/log.h"

namespace sluice::catalog {

void CallTimer::log(std::string_view tool, const Context& context,
                    const Result<protocol::ToolResult>& result) const {
  const auto time = std::chrono::duration_cast<std::chrono::microseconds>(clock_.now() - begin_);
  sluice::log::info("tool",
                    {{"request", context.request_id()},
                     {"principal", context.principal().id},
                     {"tool", tool},
                     {"code", result.ok() ? std::string_view("ok") : std::string_view(result.error().code)},
                     {"time_us", time.count()}});
}

}  // namespace sluice::catalog
