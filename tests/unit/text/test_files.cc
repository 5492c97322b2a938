#include "test_files.h"

#include <fstream>
#include <iterator>

#include <gmock/gmock.h>

namespace sluice::text {

std::string test_data_folder(const std::string& path) {
  return std::string(SLUICE_TEST_DATA_DIR) + '/' + path;
}

std::string test_data(const std::string& path) {
  std::ifstream file(test_data_folder(path), std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace sluice::text
