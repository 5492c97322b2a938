#pragma once

#include <set>
#include <string>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/fs/file.h"
#include "sluice/records/store.h"
#include "sluice/records/view.h"

namespace sluice::records_provider {

// How the engine is given a file that is open: what was opened beneath the folder is what is read, whatever
// is renamed or linked meanwhile.
std::string descriptor_path(const fs::File& file);

// How large the values of a data type's file are once they are no longer compressed; 0 where that is not
// known.
std::uint64_t uncompressed_bytes(const records::Store& store, const records::View& view,
                                 const engine::RunLimits& limits);

// The columns of a data type that its file declares never to be null.
Result<std::set<std::string>> required_columns(const records::Store& store, const records::View& view,
                                               const engine::RunLimits& limits);

}  // namespace sluice::records_provider
