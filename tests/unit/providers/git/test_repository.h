#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "temp_folder.h"

namespace sluice::git::testing {

// A repository of its own folder, made with the program git, which knows nothing of this machine's settings.
class TestRepository {
 public:
  explicit TestRepository(const std::vector<std::string>& init = {});

  // Runs git there and gives what it writes, without the last line break. The test fails where it fails.
  std::string git(const std::vector<std::string>& arguments, std::string_view input = {}) const;

  // Writes a file, adds and commits it; gives the commit's id. Each commit is a minute later than the last.
  std::string commit(std::string_view path, std::string_view text, const std::string& message);
  std::string commit_staged(const std::string& message);

  const fs::TempFolder& files() const { return files_; }
  std::string path() const { return files_.path(); }

 private:
  fs::TempFolder home_;
  fs::TempFolder files_;
  int minutes_ = 0;
};

}  // namespace sluice::git::testing
