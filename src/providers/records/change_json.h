#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/catalog/context.h"
#include "sluice/json/value.h"
#include "sluice/json/writer.h"
#include "sluice/records/mutation.h"

namespace sluice::records_provider {

// `dry_run`, `all_rows`, `force` and `expected_version` of a call, in the caller's name.
Result<records::MutationOptions> mutation_options(const json::Object& arguments,
                                                  const catalog::Context& context);

// The values of a record as a member; {"omitted_bytes": n} instead where they are larger than an answer
// should be.
void write_values(json::Writer& out, std::string_view name, const std::string& json, std::size_t bytes_max);

// [{name, type}] of columns.
void write_new_columns(json::Writer& out, std::string_view key,
                       const std::vector<records::NewColumn>& columns);

// `new_columns` where the change made some, and `warnings` where there are any: a misspelt key or value
// shows.
void write_remarks(json::Writer& out, const records::Mutated& mutated);

// What a change would do: how many records, and the first of them before and after.
std::string dry_run_json(const records::Mutated& mutated);

// The ids of the first records; how many more there are stands beside them.
void write_audit_ids(json::Writer& out, const records::Operation& operation);
void write_record_ids(json::Writer& out, const records::Operation& operation);

}  // namespace sluice::records_provider
