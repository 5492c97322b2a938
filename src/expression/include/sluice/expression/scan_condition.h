#pragma once

#include "sluice/expression/scan_filter.h"
#include "sluice/plan/condition.h"

namespace sluice::expression {

// The filters of one reading of a table as a condition over its columns. It keeps every row that the
// statement needs: whatever cannot be compared here exactly as the engine compares it is left out. Always
// true if nothing is left.
plan::Condition scan_condition(const ScanFilters& filters, const plan::Columns& columns);

}  // namespace sluice::expression
