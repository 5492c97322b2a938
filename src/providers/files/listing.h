#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/fs/root.h"
#include "sluice/protocol/model/resource.h"

namespace sluice::files {

// One page of a list of resources in order of URI.
struct Page {
  std::string after;  // What comes up to this URI is not wanted.
  std::size_t limit = 0;
  std::vector<protocol::Resource> resources;

  bool is_full() const { return resources.size() >= limit; }
  bool wants(std::string_view uri) const { return uri > after; }
  // Whether something beneath the folder may be wanted. The URI ends with a slash.
  bool wants_beneath(std::string_view folder_uri) const {
    return wants(folder_uri) || after.starts_with(folder_uri);
  }
};

// Adds what is beneath a folder, until the page is full. Enters only the folders that the page is about, and
// no linked ones, which may lead in circles. What cannot be read is left out.
void add_beneath(const fs::Root& root, const std::string& folder, const std::string& folder_uri, Page& page);

}  // namespace sluice::files
