#pragma once

#include <string_view>

#include "sluice/base/result.h"
#include "sluice/protocol/model/tool.h"

#include "portal/directory.h"
#include "tools/arguments.h"
#include "tools/tools.h"

// The tool that says which portals there are. It asks none of them.
namespace sluice::ckan {

inline constexpr std::string_view kListPortals = "ckan_list_portals";

protocol::Tool list_portals_tool();
Result<ToolAnswer> found_portals(const Directory& directory, const Arguments& in);

}  // namespace sluice::ckan
