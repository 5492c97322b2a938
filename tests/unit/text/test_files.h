#pragma once

#include <string>

namespace sluice::text {

// The bytes of a file below tests/data, e.g. "patterns/armenian.tsv". Fails the test where it is not there.
std::string test_data(const std::string& path);
std::string test_data_folder(const std::string& path);

}  // namespace sluice::text
