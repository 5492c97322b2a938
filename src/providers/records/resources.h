#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/uri.h"
#include "sluice/catalog/provider.h"

#include "record_tools.h"

namespace sluice::records_provider {

inline constexpr std::string_view kDataTypesUri = "parquet://data_types";
// What a page of a list holds: 200 data types, each with its records, its schema and its file, and their
// list. Hosts of this layout read one page.
inline constexpr std::size_t kListedPageItems = 1 + 3 * 200;

std::string collection_uri(std::string_view data_type);  // parquet://data_types/tasks
std::string schema_uri(std::string_view data_type);      // parquet://schemas/tasks
std::string file_uri(std::string_view path);             // parquet://files/tasks/tasks.parquet

Result<std::vector<protocol::Resource>> list_resources(const RecordTools& tools,
                                                       const catalog::ListQuery& query);
std::vector<protocol::ResourceTemplate> list_templates(const catalog::ListQuery& query);
bool owns_resource(const ResourceUri& uri);
Result<protocol::ReadResult> read_resource(const RecordTools& tools, const ResourceUri& uri,
                                           catalog::Context& context);
Result<protocol::Completion> complete(const RecordTools& tools, const protocol::CompletionRequest& request);

}  // namespace sluice::records_provider
