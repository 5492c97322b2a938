#pragma once

#include <cstdint>

#include "sluice/protocol/model/tool.h"

#include "answer/text_room.h"
#include "tools/tools.h"

namespace sluice::ckan {

// JSON is the answer itself; Markdown is the server's own words, and below them the portal's data as JSON
// within a fence that nothing in it can end.
enum class Form : std::uint8_t { kMarkdown, kJson };

// Structured content is given either way. Both channels show the same rows and fit the room; `has_more` and
// the offset to read on at follow from what they show.
protocol::ToolResult tool_result(const ToolAnswer& found, Form form, const TextRoom& room);

}  // namespace sluice::ckan
