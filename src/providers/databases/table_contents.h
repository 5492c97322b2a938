#pragma once

#include <cstddef>

#include "sluice/base/uri.h"
#include "sluice/contents/uri_query.h"
#include "sluice/protocol/model/resource.h"

#include "table_dataset.h"

namespace sluice::databases {

// What db://{table}/schema and db://{table}/data read, with the parameters of the URI. A parameter that does
// not belong to the resource is the same as a resource that does not exist.
struct TableContentsRequest {
  const ResourceUri& uri;
  const contents::UriQuery& query;
  const TableDataset& table;
  engine::RunLimits limits;
  plan::Guard guard;     // The rules of the caller.
  std::size_t room = 0;  // Bytes of the contents as a JSON string, see contents::read_room.
};

// `format`, and `offset` and `length` in bytes of the text.
Result<protocol::ResourceContents> read_schema(const TableContentsRequest& request);
// `limit`, `offset`, `columns` and `order`. Rows that do not fit are left to the URI in `sluice/next`; of a
// row that alone does not fit, the cells are cut.
Result<protocol::ResourceContents> read_rows(const TableContentsRequest& request);

}  // namespace sluice::databases
