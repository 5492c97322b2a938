#include "lean/lean_tools.h"

namespace sluice::datasets::lean {

Result<protocol::ToolResult> describe_tables(const Desk& /*desk*/, const json::Object& /*arguments*/,
                                             catalog::Context& /*context*/) {
  return unsupported("not built yet");
}

}  // namespace sluice::datasets::lean
