#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sluice/fs/root.h"

namespace sluice::fs {

// A folder that lives as long as the test. Paths are relative to it.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = testing::TempDir() + "sluice-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
    path_ = pattern;
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string path() const { return path_; }
  std::filesystem::path at(std::string_view path) const { return std::filesystem::path(path_) / path; }

  // Makes the folders of the path where they are missing.
  void write(std::string_view path, std::string_view text) const {
    std::filesystem::create_directories(at(path).parent_path());
    std::ofstream(at(path), std::ios::binary) << text;
  }
  std::string read(std::string_view path) const {
    std::ifstream in(at(path), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void make_folder(std::string_view path) const { std::filesystem::create_directories(at(path)); }
  void link(std::string_view target, std::string_view path) const {
    std::filesystem::create_symlink(std::filesystem::path(target), at(path));
  }
  void rename(std::string_view from, std::string_view to) const { std::filesystem::rename(at(from), at(to)); }
  void remove(std::string_view path) const { std::filesystem::remove_all(at(path)); }

  Root root(RootOptions options = {}) const { return Root::open(path_, options).value(); }

 private:
  std::string path_;
};

}  // namespace sluice::fs
