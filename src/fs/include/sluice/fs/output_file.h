#pragma once

#include <stop_token>
#include <string>

#include "sluice/base/result.h"
#include "sluice/fs/descriptor.h"
#include "sluice/fs/file.h"

namespace sluice::fs {

enum class IfExists : bool { kRefuse, kReplace };

// A file that appears under its name when it is complete: until then it is a temporary file beside it, which
// is removed with this object. One thread at a time.
class OutputFile {
 public:
  // Fails where the folder cannot be written to, where `path` is anything but a file, and where it is a file
  // that must not be replaced.
  static Result<OutputFile> create(const std::string& path, IfExists if_exists);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  const std::string& temporary_path() const { return temporary_; }

  Status copy(const File& from, const std::stop_token& stop);
  // On disk, under its name. Readers see the old file or the new one.
  Status commit();

 private:
  OutputFile(std::string path, IfExists if_exists, std::string temporary, Descriptor descriptor);

  std::string path_;
  IfExists if_exists_;
  std::string temporary_;  // Empty: it is there no longer.
  Descriptor descriptor_;
};

}  // namespace sluice::fs
