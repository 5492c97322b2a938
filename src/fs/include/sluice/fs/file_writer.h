#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/fs/descriptor.h"

namespace sluice::fs {

// A new file that is written from front to back. Not durable: for what can be made again. One thread at a
// time.
class FileWriter {
 public:
  FileWriter(Descriptor descriptor, std::string relative_path);

  Status write(std::string_view bytes);
  std::uint64_t bytes() const { return bytes_; }  // Written so far.

 private:
  Descriptor descriptor_;
  std::string relative_path_;
  std::uint64_t bytes_ = 0;
};

}  // namespace sluice::fs
