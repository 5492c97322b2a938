#pragma once

#include "sluice/base/result.h"
#include "sluice/json/value.h"
#include "sluice/plan/condition.h"
#include "sluice/records/view.h"

namespace sluice::records {

// The one grammar of reads and writes, as a condition over a view's columns. {column: value} is equality
// (null: IS NULL), {column: [values]} membership, {column: {$op: operand, …}} all of: $contains $starts_with
// $ends_with $regex $fuzzy $gt $gte $lt $lte $between $in $nin $ne $not, and for columns of lists $has
// $has_any $has_all. {"$or": [filters]}, {"$and": [filters]} and {"$not": filter} combine filters, up to
// eight levels deep; a column cannot be named like one of these. Text operators ignore case and see other
// types as their text. Negations hold for missing values. A column or an operator that does not exist is
// kInvalidInput
// (`unknown_column`, `unknown_operator`) and names what does.
Result<plan::Condition> compile_filters(const json::Object& filters, const View& view);

}  // namespace sluice::records
