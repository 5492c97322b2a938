#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/catalog/provider.h"
#include "sluice/catalog/tool_rules.h"
#include "sluice/json/schema.h"
#include "sluice/protocol/model/tool.h"
#include "sluice/protocol/wire/header_parameters.h"

namespace sluice::catalog {

// A tool with everything that is needed to call it.
struct ToolEntry {
  protocol::Tool tool;
  std::shared_ptr<ToolProvider> provider;  // Shared by the catalog and calls that are under way.
  std::string provider_name;
  RunsOn runs_on = RunsOn::kWorker;
  json::Schema input;
  std::optional<json::Schema> output;
  std::vector<protocol::HeaderParameter> headers;
};

// An immutable snapshot of all tools, by name.
class ToolIndex {
 public:
  // Holds the tools that the rules allow. Fails on a name offered twice, a bad name, or a schema that is not
  // valid.
  static Result<std::shared_ptr<const ToolIndex>> build(
      const std::vector<std::shared_ptr<Provider>>& providers, const ToolRules& rules = {});

  std::shared_ptr<const ToolEntry> find(std::string_view name) const;  // Null where there is none.
  const std::map<std::string, std::shared_ptr<const ToolEntry>, std::less<>>& entries() const {
    return entries_;
  }

 private:
  std::map<std::string, std::shared_ptr<const ToolEntry>, std::less<>> entries_;
};

}  // namespace sluice::catalog
