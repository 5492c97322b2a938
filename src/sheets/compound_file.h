#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/fs/file.h"
#include "sluice/inspection/byte_stream.h"

namespace sluice::sheets {

// One stream of a compound file, which old workbooks are: a small file system within a file. Its pieces lie
// anywhere in the file. One thread at a time.
class CompoundStream {
 public:
  // Of the stream with the first of `names` that there is. `file` must outlive it. kNotFound if there is
  // none.
  static Result<CompoundStream> open(const fs::File& file, const std::vector<std::string_view>& names,
                                     const inspection::ReadLimits& limits);

  const std::string& name() const { return name_; }
  std::uint64_t size() const { return size_; }
  // Up to `length` bytes, fewer only at the end of the stream.
  Result<std::string> read_at(std::uint64_t offset, std::size_t length) const;

 private:
  friend class CompoundReader;
  CompoundStream(const fs::File& file, inspection::ReadLimits limits)
      : file_(&file), limits_(std::move(limits)) {}

  const fs::File* file_;  // The caller's.
  inspection::ReadLimits limits_;
  std::string name_;
  std::uint64_t size_ = 0;
  std::size_t piece_bytes_ = 0;
  std::vector<std::uint64_t> pieces_;  // Where each begins in the file.
};

}  // namespace sluice::sheets
