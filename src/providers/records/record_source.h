#pragma once

#include <cstdint>
#include <memory>

#include "sluice/engine/source.h"
#include "sluice/expression/question.h"
#include "sluice/records/view.h"

namespace sluice::records_provider {

// Shared by the source and the rows that are being read: it keeps the files open.
using ViewPtr = std::shared_ptr<const records::View>;

// The columns as statements know them: the engine takes names that differ only in case for one.
expression::Columns columns_of(const records::View& view);

enum class RowOrder : std::uint8_t { kAny, kOfRecords };

// The records of a view. If the plan restricts the rows of the table, others may be left out.
std::shared_ptr<engine::Source> scan_source(const ViewPtr& view, RowOrder order,
                                            const plan::PhysicalPlan& plan, const engine::RunLimits& limits);

// The answer to a question over the records of a view, from its offset on and up to one row more than its
// limit, as the store's engine computes it from the plan. Null if the question has no plan, only asks for
// rows of the table, keeps values in memory, or needs a function that the store's engine does not have.
std::shared_ptr<engine::Source> answer_source(const ViewPtr& view, const expression::Question& question,
                                              const engine::RunLimits& limits);

}  // namespace sluice::records_provider
