#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "sluice/base/uri.h"
#include "sluice/catalog/provider.h"

#include "dataset_tools.h"

namespace sluice::datasets {

// What can be read of every dataset: {scheme}://…/{part}.
inline constexpr std::array<std::string_view, 4> kDatasetParts = {"catalog", "full", "schema", "summary"};

Result<std::vector<protocol::Resource>> list_resources(const DatasetTools& tools,
                                                       const catalog::ListQuery& query);
std::vector<protocol::ResourceTemplate> list_templates(const DatasetTools& tools,
                                                       const catalog::ListQuery& query);
bool owns_resource(const DatasetTools& tools, const ResourceUri& uri);
Result<protocol::ReadResult> read_resource(const DatasetTools& tools, const ResourceUri& uri,
                                           catalog::Context& context);

}  // namespace sluice::datasets
