#pragma once

#include <cstdint>
#include <vector>

#include "tools/definitions.h"

// The three tools of the lean profile. They answer in text that costs an agent little: CSV and short lines.
namespace sluice::datasets::lean {

// What datasets there are: names, rows, columns and descriptions, as much as fits the budget.
Result<protocol::ToolResult> list_tables(const DatasetTools& tools, const json::Object& arguments,
                                         catalog::Context& context);
// The columns of several datasets: types, nulls, values, ranges, and traps that would spoil an answer.
Result<protocol::ToolResult> describe_tables(const DatasetTools& tools, const json::Object& arguments,
                                             catalog::Context& context);
// SQL over all datasets.
Result<protocol::ToolResult> run_sql(const DatasetTools& tools, const json::Object& arguments,
                                     catalog::Context& context);

enum class ArrowFiles : std::uint8_t { kLeftOut, kOffered };

// By name. Arrow files are a format of `query` if the configuration switches them on.
std::vector<ToolDefinition> tool_definitions(ArrowFiles arrow);

}  // namespace sluice::datasets::lean
