#pragma once

#include <memory>

#include "sluice/engine/source.h"
#include "sluice/fs/root.h"
#include "sluice/query/dataset.h"

namespace sluice::query {

// A dataset that is a file of Arrow's IPC format beneath a served folder. Its rows are read through
// `sources`, column by column.
DatasetPtr make_arrow_table(Dataset::Identity identity, std::shared_ptr<const fs::Root> root,
                            std::shared_ptr<engine::Sources> sources);

}  // namespace sluice::query
