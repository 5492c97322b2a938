#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/fs/private_folder.h"
#include "sluice/json/value.h"
#include "sluice/protocol/model/tool.h"

namespace sluice::gateway {

// Definitions of tools as they were when they were first seen, in a folder that nobody else may read: one
// file for each upstream. What has changed since, or has come, is refused until the operator accepts it. Any
// thread.
class ToolPins {
 public:
  static Result<std::shared_ptr<ToolPins>> open(const std::string& folder);

  struct Verdict {
    std::vector<protocol::Tool> tools;  // The ones that may be shown, as they were first seen.
    // Which may not be called, and what has changed: {"field": …, "was": …, "is": …} as JSON text.
    std::map<std::string, std::string, std::less<>> refused;
  };
  // Keeps the definitions of an upstream that was never seen before.
  Result<Verdict> check(const std::string& name_space, const std::vector<protocol::Tool>& tools);
  // Pins one of the tools as it is now; the others stay as they were pinned. kNotFound: no such tool.
  Status accept(const std::string& name_space, const std::vector<protocol::Tool>& tools,
                const std::string& accepted);

 private:
  // Null: nothing is pinned yet.
  Result<json::Value> pinned(const std::string& name_space) const;
  Status write(const std::string& name_space, const json::Object& forms, bool is_new) const;
  explicit ToolPins(fs::PrivateFolder folder) : folder_(std::move(folder)) {}

  Mutex mutex_;  // One at a time.
  const fs::PrivateFolder folder_;
};

}  // namespace sluice::gateway
