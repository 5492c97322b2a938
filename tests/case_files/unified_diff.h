#pragma once

#include <string>
#include <string_view>

#include "sluice/json/value.h"

namespace sluice::case_files {

// The lines in which two texts differ, with three lines around them, as `diff -u` writes them. Empty if they
// are equal. Of texts with more than 4,000 lines only the beginning is compared.
std::string unified_diff(std::string_view expected, std::string_view actual);

// JSON with one member or item on each line.
std::string indented(const json::Value& value);

}  // namespace sluice::case_files
