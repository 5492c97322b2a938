#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/fs/root.h"
#include "sluice/protocol/model/resource.h"

namespace sluice::files {

// A file or folder that is served.
struct Child {
  std::string segment;  // Its part of a URI; that of a folder ends with a slash. Order is by this.
  std::string name;
  bool is_folder = false;
  bool is_link = false;
};

// What a folder has for callers, in no order.
Result<std::vector<Child>> children_of(const fs::Root& root, std::string_view folder);

// A folder as a list shows it.
protocol::Resource folder_resource(std::string uri, std::string_view name);

// What lists say of a file or folder. A file whose name does not tell its type is looked into. kNotFound
// where it is gone by now.
Result<protocol::Resource> resource_of(const fs::Root& root, const std::string& path, std::string uri);

}  // namespace sluice::files
