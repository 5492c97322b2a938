#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/records/filter.h"
#include "sluice/records/mutation.h"

#include "rows.h"

// What mutations and their rollback have in common.
namespace sluice::records {

Operation new_operation(std::string kind, const MutationOptions& options, std::string notes);

// The right to change the data type; for a dry run a preview.
Result<std::unique_ptr<WriteTransaction>> begin_transaction(DataType& type, const MutationOptions& options,
                                                            const engine::RunLimits& limits);

// Commits the operation, or only says what it would be.
Result<Mutated> finish(WriteTransaction& writing, Operation operation, const MutationOptions& options);

// The records that a condition holds for, with their places.
Result<std::vector<StoredRow>> stored_rows(const View& view, plan::Condition condition,
                                           const engine::RunLimits& limits, std::size_t rows_max);

// A record with the columns in `set` changed to `values`; one that `values` does not have becomes null.
Result<RowChange> changed_row(const StoredRow& row, const std::vector<std::string>& set,
                              const json::Object& values);

}  // namespace sluice::records
