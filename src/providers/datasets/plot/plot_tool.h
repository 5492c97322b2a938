#pragma once

#include "tools/definitions.h"

namespace sluice::datasets::plotting {

// Draws a picture of rows: bars, lines, areas, points, a histogram or a heat map.
Result<protocol::ToolResult> draw_plot(const DatasetTools& tools, const json::Object& arguments,
                                       catalog::Context& context);

// With the arguments of the lean profile, or with all that there are.
ToolDefinition short_definition();
ToolDefinition full_definition();

}  // namespace sluice::datasets::plotting
