#pragma once

#include <string_view>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/catalog/context.h"
#include "sluice/protocol/model/tool.h"

namespace sluice::catalog {

// Measures a call of a tool from its construction on, and writes the line that the log has about it.
class CallTimer {
 public:
  explicit CallTimer(const Clock& clock) : clock_(clock), begin_(clock.now()) {}

  void log(std::string_view tool, const Context& context, const Result<protocol::ToolResult>& result) const;

 private:
  const Clock& clock_;  // Outlives the call.
  const Monotonic begin_;
};

}  // namespace sluice::catalog
