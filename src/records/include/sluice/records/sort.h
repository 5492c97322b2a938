#pragma once

#include <vector>

#include "sluice/base/result.h"
#include "sluice/json/value.h"
#include "sluice/plan/plan.h"
#include "sluice/records/view.h"

namespace sluice::records {

// The keys of `sort_by`: [{column, ascending, na_position, custom_order}]. `schema` is the schema file's
// object, whose enum_order or enum a column is sorted by where custom_order is not given; may be null. Values
// outside an order come last, nulls by na_position.
Result<std::vector<plan::SortKey>> compile_sort(const json::Array& sort_by, const View& view,
                                                const json::Object* schema);

}  // namespace sluice::records
