#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/json/value.h"
#include "sluice/records/mutation.h"
#include "sluice/records/schema_file.h"
#include "sluice/records/view.h"

namespace sluice::records {

// The column that new records of the view have their id in: the one it has, else the one that the schema
// declares, else a new one.
std::string id_column_for(const View& view, const SchemaFile* schema);

// Records completed with what they do not bring along: an id, and dates and sources for which there are
// columns. A key that is there stays as it is, null included; only an id may not be null. Ids of integer
// columns follow the largest one that there ever was. code `id_needed` where the column's type has no ids
// that could be made, or they are used up.
Result<std::vector<json::Object>> with_defaults(const View& view, const SchemaFile* schema,
                                                const std::vector<const json::Object*>& records,
                                                const MutationOptions& options, const std::string& id_column,
                                                const engine::RunLimits& limits);

// What is odd about the values of a record and yet stored: those that are not among the declared ones.
void warn_of_values(std::vector<std::string>& warnings, const SchemaFile* schema, const json::Object& record);

std::string today();

}  // namespace sluice::records
