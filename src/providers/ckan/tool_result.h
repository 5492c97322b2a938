#pragma once

#include <cstddef>
#include <string>

#include "sluice/protocol/model/tool.h"

#include "tools.h"

namespace sluice::ckan {

// JSON is the answer itself; Markdown is the server's own words, and below them the portal's data as JSON
// within a fence that nothing in it can end.
enum class Form : std::uint8_t { kMarkdown, kJson };

// Both channels fit `units_max` UTF-16 units, and structured content is given either way.
protocol::ToolResult tool_result(Found found, Form form, std::size_t units_max);

}  // namespace sluice::ckan
