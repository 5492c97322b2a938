#pragma once

#include <cstdint>
#include <string>

#include "sluice/catalog/context.h"
#include "sluice/protocol/model/tool.h"

#include "record_tools.h"

// One function for each tool. Arguments have been checked against the tool's input schema.
namespace sluice::records_provider {

using ToolFunction = Result<protocol::ToolResult> (*)(const RecordTools&, const json::Object&,
                                                      catalog::Context&);

Result<protocol::ToolResult> list_data_types(const RecordTools& tools, const json::Object& arguments,
                                             catalog::Context& context);
Result<protocol::ToolResult> get_schema(const RecordTools& tools, const json::Object& arguments,
                                        catalog::Context& context);
Result<protocol::ToolResult> validate_schema(const RecordTools& tools, const json::Object& arguments,
                                             catalog::Context& context);
Result<protocol::ToolResult> diff_versions(const RecordTools& tools, const json::Object& arguments,
                                           catalog::Context& context);
Result<protocol::ToolResult> read_parquet(const RecordTools& tools, const json::Object& arguments,
                                          catalog::Context& context);
Result<protocol::ToolResult> sort_parquet(const RecordTools& tools, const json::Object& arguments,
                                          catalog::Context& context);
Result<protocol::ToolResult> search_parquet(const RecordTools& tools, const json::Object& arguments,
                                            catalog::Context& context);
Result<protocol::ToolResult> generate_embeddings(const RecordTools& tools, const json::Object& arguments,
                                                 catalog::Context& context);
Result<protocol::ToolResult> get_statistics(const RecordTools& tools, const json::Object& arguments,
                                            catalog::Context& context);
Result<protocol::ToolResult> aggregate_parquet(const RecordTools& tools, const json::Object& arguments,
                                               catalog::Context& context);
Result<protocol::ToolResult> query_with_date_range(const RecordTools& tools, const json::Object& arguments,
                                                   catalog::Context& context);

Result<protocol::ToolResult> create_data_type(const RecordTools& tools, const json::Object& arguments,
                                              catalog::Context& context);
Result<protocol::ToolResult> update_schema(const RecordTools& tools, const json::Object& arguments,
                                           catalog::Context& context);
Result<protocol::ToolResult> add_record(const RecordTools& tools, const json::Object& arguments,
                                        catalog::Context& context);
Result<protocol::ToolResult> add_records(const RecordTools& tools, const json::Object& arguments,
                                         catalog::Context& context);
Result<protocol::ToolResult> update_records(const RecordTools& tools, const json::Object& arguments,
                                            catalog::Context& context);
Result<protocol::ToolResult> upsert_record(const RecordTools& tools, const json::Object& arguments,
                                           catalog::Context& context);
Result<protocol::ToolResult> delete_records(const RecordTools& tools, const json::Object& arguments,
                                            catalog::Context& context);
Result<protocol::ToolResult> import_file(const RecordTools& tools, const json::Object& arguments,
                                         catalog::Context& context);
Result<protocol::ToolResult> export_data_type(const RecordTools& tools, const json::Object& arguments,
                                              catalog::Context& context);
Result<protocol::ToolResult> read_audit_log(const RecordTools& tools, const json::Object& arguments,
                                            catalog::Context& context);
Result<protocol::ToolResult> rollback_operation(const RecordTools& tools, const json::Object& arguments,
                                                catalog::Context& context);
Result<protocol::ToolResult> restore_snapshot(const RecordTools& tools, const json::Object& arguments,
                                              catalog::Context& context);

// What get_schema answers: the schema file's members, and the columns that the records have, from `offset`
// on. `next_offset` gets the first column that did not fit, and stays as it is where all did; may be null.
Result<std::string> schema_json(const RecordTools& tools, std::string_view data_type, std::uint64_t offset,
                                catalog::Context& context, std::uint64_t* next_offset = nullptr);

}  // namespace sluice::records_provider
