#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/json/value.h"
#include "sluice/plan/plan.h"
#include "sluice/records/view.h"

#include "page.h"
#include "record_tools.h"

// The arguments that many tools share, as plans over a view.
namespace sluice::records_provider {

// The condition of `key` ("filters"); always true where it is not given.
Result<plan::Condition> condition_of(const json::Object& arguments, std::string_view key,
                                     const records::View& view);

// Rows of the view by `sort_by`, or in the order of the records.
Result<plan::NodePtr> sorted_rows(const RecordTools& tools, const json::Object& arguments,
                                  const records::View& view, plan::NodePtr rows);
Result<plan::NodePtr> in_order_of_records(const records::View& view, plan::NodePtr rows);

// The rows of the view that meet the condition, by `sort_by`, with the columns of these names, or all if
// there are none. `view` must outlive it.
Result<RowsQuery> rows_query(const RecordTools& tools, const json::Object& arguments,
                             const catalog::Context& context, const records::View& view,
                             plan::Condition condition, const std::vector<std::string>& names = {});

// The columns of these names, each once; a name that is none is an error that lists what there is.
Result<std::vector<const engine::Field*>> named_columns(const records::View& view,
                                                        const std::vector<std::string>& names);

// A cell of the column as a timestamp in UTC without zone; null where it is none. Text is read as ISO 8601.
// Empty where the column's type has no time.
std::string timestamp_of(const engine::Field& column);

}  // namespace sluice::records_provider
