#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/json/value.h"
#include "sluice/records/filter.h"
#include "sluice/records/view.h"

#include "record_tools.h"

// The arguments that many tools share, as SQL.
namespace sluice::records_provider {

// The condition of `key` ("filters"); TRUE where it is not given.
Result<records::Condition> condition_of(const json::Object& arguments, std::string_view key,
                                        const records::View& view, std::size_t first_parameter = 1);

// ORDER BY's list for `sort_by`, or for the order of the records; empty where they come in it by themselves.
Result<std::string> order_of(const RecordTools& tools, const json::Object& arguments,
                             const records::View& view);

// The columns of these names, each once; a name that is none is an error that lists what there is.
Result<std::vector<const engine::Field*>> named_columns(const records::View& view,
                                                        const std::vector<std::string>& names);

// A cell of the column as a timestamp in UTC without zone; null where it is none. Text is read as ISO 8601.
// Empty where the column's type has no time.
std::string timestamp_of(const engine::Field& column);

}  // namespace sluice::records_provider
