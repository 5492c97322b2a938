#pragma once

#include "sluice/protocol/model/tool.h"

#include "dataset_tools.h"

// The analysis tools, which a server offers where its configuration says `analysis_tools: true` and a
// collection says what its rows are about. Arguments have been checked against the tool's input schema.
namespace sluice::datasets::analysis {

Result<protocol::ToolResult> get_ministry_comparison(const DatasetTools& tools, const json::Object& arguments,
                                                     catalog::Context& context);
Result<protocol::ToolResult> get_budget_distribution(const DatasetTools& tools, const json::Object& arguments,
                                                     catalog::Context& context);
Result<protocol::ToolResult> get_budget_visualization_data(const DatasetTools& tools,
                                                           const json::Object& arguments,
                                                           catalog::Context& context);
Result<protocol::ToolResult> find_program_across_years(const DatasetTools& tools,
                                                       const json::Object& arguments,
                                                       catalog::Context& context);
Result<protocol::ToolResult> trace_program_lineage(const DatasetTools& tools, const json::Object& arguments,
                                                   catalog::Context& context);
Result<protocol::ToolResult> search_programs_by_similarity(const DatasetTools& tools,
                                                           const json::Object& arguments,
                                                           catalog::Context& context);
Result<protocol::ToolResult> detect_program_patterns(const DatasetTools& tools, const json::Object& arguments,
                                                     catalog::Context& context);
Result<protocol::ToolResult> register_program_equivalency(const DatasetTools& tools,
                                                          const json::Object& arguments,
                                                          catalog::Context& context);
Result<protocol::ToolResult> get_program_equivalencies(const DatasetTools& tools,
                                                       const json::Object& arguments,
                                                       catalog::Context& context);

}  // namespace sluice::datasets::analysis
