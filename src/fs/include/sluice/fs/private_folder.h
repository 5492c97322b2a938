#pragma once

#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/fs/file_writer.h"
#include "sluice/fs/root.h"

namespace sluice::fs {

// A folder for files of this program's own, which nobody else may read (mode 0700). Any thread.
class PrivateFolder {
 public:
  // A new folder that goes, with everything in it, when this does.
  static Result<PrivateFolder> make_temporary(std::string_view prefix);
  // The same in a folder that exists, instead of the system's own.
  static Result<PrivateFolder> make_temporary_in(const std::string& parent, std::string_view prefix);
  // A folder that stays; it is made where it does not exist.
  static Result<PrivateFolder> open(const std::string& path);

  PrivateFolder(PrivateFolder&& other) noexcept;
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  ~PrivateFolder();

  const std::string& path() const { return path_; }  // Absolute, links resolved.
  const Root& root() const { return root_; }
  // A new file; fails where the name is taken.
  Result<FileWriter> create(std::string_view name) const;
  // Removes a file of the folder; one that is not there is fine.
  Status remove(std::string_view name) const;

 private:
  PrivateFolder(std::string path, Root root, bool is_temporary);

  std::string path_;
  Root root_;
  bool is_temporary_;
};

}  // namespace sluice::fs
