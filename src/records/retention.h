#pragma once

#include <string>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/fs/root.h"
#include "sluice/records/store.h"

namespace sluice::records {

// Removes what is kept no longer of one data type: its oldest snapshots, and parts of its journal that are
// all older than the age. The newest of each always stays. For the holder of nothing: writers do not touch
// these files any more.
Status apply_retention(const fs::Root& root, const std::string& data_type, const Retention& retention,
                       WallTime now);

}  // namespace sluice::records
