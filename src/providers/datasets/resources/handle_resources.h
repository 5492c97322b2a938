#pragma once

#include "sluice/base/uri.h"
#include "sluice/protocol/model/resource.h"

#include "dataset_tools.h"

// {scheme}://handle/{id}/{page} is a page of rows, {scheme}://handle/{id}/rows any range of rows, and
// {scheme}://handle/{id}/file the whole result as one file.
namespace sluice::datasets {

inline constexpr std::string_view kHandlePath = "handle/";

// Any of them. `path` is what follows the scheme: handle/{id}/….
Result<protocol::ReadResult> read_handle(const DatasetTools& tools, const ResourceUri& uri,
                                         std::string_view path, catalog::Context& context);

// A page of rows of the snapshot, as the contents of the resource `uri`.
struct PageOfHandle {
  std::uint64_t page = 0;
  query::Format format = query::Format::kCsv;
};
Result<protocol::ReadResult> read_page_resource(const DatasetTools& tools, const ResourceUri& uri,
                                                const query::Snapshot& snapshot, const PageOfHandle& wanted,
                                                const catalog::Context& context);

}  // namespace sluice::datasets
