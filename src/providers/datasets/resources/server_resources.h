#pragma once

#include "sluice/base/uri.h"
#include "sluice/protocol/model/resource.h"

#include "dataset_tools.h"

// Resources of the scheme `sluice`, which programs with a face for people read. They are bounded by bytes,
// not by tokens, because no model is meant to read them, and they are in no list.
//
// - sluice://server: version, how long it has run, number of datasets.
// - sluice://result/{name}{?offset,limit,cell}: rows of a result that the caller has kept, by its name or
//   handle.
namespace sluice::datasets {

bool is_server_resource(const ResourceUri& uri);
Result<protocol::ReadResult> read_server_resource(const DatasetTools& tools, const ResourceUri& uri,
                                                  catalog::Context& context);

}  // namespace sluice::datasets
