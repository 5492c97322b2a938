#pragma once

#include <cstdint>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/records/operation.h"
#include "sluice/records/view.h"

// Ids that are numbers. A new one follows the largest that there ever was: the id of a deleted record stays
// in the audit log, where it must not stand for two records.
namespace sluice::records {

// The largest id among the records; 0 where there is none, or only negative ones. code `id_needed` where it
// has more than 64 bits.
Result<std::int64_t> largest_id(const View& view, const engine::Field& column,
                                const engine::RunLimits& limits);

// The largest id that an operation takes away from a record; 0 where it takes none, or ids are no numbers.
std::int64_t removed_id(const Operation& operation, const engine::Field* id_column);

// kInvalidInput, code `id_needed`: a record has no id, and none can be made.
Error id_needed(const engine::Field& column, std::string_view why);

}  // namespace sluice::records
