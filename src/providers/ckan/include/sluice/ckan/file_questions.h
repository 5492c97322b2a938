#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sluice/base/result.h"
#include "sluice/catalog/context.h"
#include "sluice/json/value.h"
#include "sluice/protocol/model/tool.h"
#include "sluice/query/dataset.h"
#include "sluice/query/file_copies.h"

namespace sluice::ckan {

// How questions about a portal's file are asked, once it is here: by whoever has the query tools.
struct FileQuestions {
  using Function = std::function<Result<protocol::ToolResult>(
      const query::DatasetPtr& dataset, const json::Object& arguments, catalog::Context& context)>;
  // Looks at the columns of a dataset; one of the same name and version is then asked about sooner. May be
  // empty.
  std::function<Status(const query::DatasetPtr& dataset, const catalog::Context& context)> prepare;
  Function ask;
  Function estimate;
  json::Object properties;                              // The arguments of a question, as JSON Schema.
  std::shared_ptr<const query::Collection> collection;  // Of all files of portals. Shared with the registry.
  std::shared_ptr<query::FileCopies> copies;            // Shared by all datasets.
  std::string folder;           // The spool, in which files get a folder of their own.
  std::uint64_t bytes_max = 0;  // Of all files that are kept.
};

}  // namespace sluice::ckan
