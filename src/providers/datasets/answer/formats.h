#pragma once

#include <string>
#include <string_view>

#include "dataset_tools.h"

namespace sluice::datasets {

std::string_view name_of(query::Format format);
std::string_view mime_type(query::Format format);
// Whether the format is a file of its own, whose pages are bytes.
bool is_binary(query::Format format);

// The format of that name, where this server offers it.
Result<query::Format> parse_format(const DatasetTools& tools, std::string_view name);
// "json, csv, parquet", and arrow where it is enabled.
std::string format_names(const DatasetTools& tools);

}  // namespace sluice::datasets
