#pragma once

#include <string>

#include "sluice/base/result.h"
#include "sluice/json/value.h"
#include "sluice/records/view.h"

namespace sluice::records {

// ORDER BY's list for `sort_by`: [{column, ascending, na_position, custom_order}]; ties keep the order of
// rows. `schema` is the schema file's object, whose enum_order or enum a column is sorted by where
// custom_order is not given; may be null. Values outside an order come last, nulls by na_position.
Result<std::string> compile_sort(const json::Array& sort_by, const View& view, const json::Object* schema);

}  // namespace sluice::records
