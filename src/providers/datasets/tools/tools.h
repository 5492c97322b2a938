#pragma once

#include "sluice/protocol/model/tool.h"

#include "dataset_tools.h"

// One function for each tool. Arguments have been checked against the tool's input schema.
namespace sluice::datasets {

using ToolFunction = Result<protocol::ToolResult> (*)(const DatasetTools&, const json::Object&,
                                                      catalog::Context&);

Result<protocol::ToolResult> get_catalog(const DatasetTools& tools, const json::Object& arguments,
                                         catalog::Context& context);
Result<protocol::ToolResult> get_schema(const DatasetTools& tools, const json::Object& arguments,
                                        catalog::Context& context);
Result<protocol::ToolResult> get_dataset_overall(const DatasetTools& tools, const json::Object& arguments,
                                                 catalog::Context& context);
Result<protocol::ToolResult> get_server_info(const DatasetTools& tools, const json::Object& arguments,
                                             catalog::Context& context);
Result<protocol::ToolResult> distinct_values(const DatasetTools& tools, const json::Object& arguments,
                                             catalog::Context& context);
Result<protocol::ToolResult> describe_dataset(const DatasetTools& tools, const json::Object& arguments,
                                              catalog::Context& context);
Result<protocol::ToolResult> estimate_query(const DatasetTools& tools, const json::Object& arguments,
                                            catalog::Context& context);
Result<protocol::ToolResult> query_data(const DatasetTools& tools, const json::Object& arguments,
                                        catalog::Context& context);
Result<protocol::ToolResult> aggregate(const DatasetTools& tools, const json::Object& arguments,
                                       catalog::Context& context);
Result<protocol::ToolResult> query_next_page(const DatasetTools& tools, const json::Object& arguments,
                                             catalog::Context& context);
Result<protocol::ToolResult> bulk_filter(const DatasetTools& tools, const json::Object& arguments,
                                         catalog::Context& context);

Result<protocol::ToolResult> advanced_query(const DatasetTools& tools, const json::Object& arguments,
                                            catalog::Context& context);
Result<protocol::ToolResult> pattern_filter(const DatasetTools& tools, const json::Object& arguments,
                                            catalog::Context& context);

// More groups than anybody reads, and what to do about it.
inline constexpr std::uint64_t kGroupsMany = 1'000;
inline constexpr std::string_view kFewerGroups =
    "group by fewer columns, or ask for the largest alone with order_by and limit";

// Records, or rows beside a list of columns where the call has shape: "columns".
render::Shape shape_of(const json::Object& arguments);

// Any question about one dataset: measured first, asked about where it is huge, answered within the budget.
Result<protocol::ToolResult> answer_question(const DatasetTools& tools, const Subject& subject,
                                             expression::Question question, const json::Object& arguments,
                                             catalog::Context& context);

// query_data and estimate_query about a dataset that has been found.
Result<protocol::ToolResult> query_subject(const DatasetTools& tools, const Subject& subject,
                                           const json::Object& arguments, catalog::Context& context);
Result<protocol::ToolResult> estimate_subject(const DatasetTools& tools, const Subject& subject,
                                              const json::Object& arguments, catalog::Context& context);

// Whether the lists `years`, `source_types`, … name the values that the dataset's dimensions have.
bool matches_dimensions(const query::Dataset& dataset, const json::Object& arguments);

// The texts that resources share with the tools of the same content.
Result<std::string> schema_json(const DatasetTools& tools, const Subject& subject, std::uint64_t offset,
                                const catalog::Context& context);
Result<std::string> overall_json(const query::Dataset& dataset, std::uint64_t bytes_max);
std::string catalog_entry_json(const query::Dataset& dataset);

}  // namespace sluice::datasets
