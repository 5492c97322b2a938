#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice::text {

// The records of a CSV text (RFC 4180), its header first. A byte order mark is skipped; a quoted cell may
// hold newlines.
std::vector<std::vector<std::string>> csv_records(std::string_view text);

}  // namespace sluice::text
