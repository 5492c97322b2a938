#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/fs/file.h"
#include "sluice/inspection/byte_stream.h"

struct zip;

namespace sluice::sheets {

// The parts of a zip file, which are unpacked as they are read. All reads together are bounded, and each by
// how much is stored of the part: see limits.h. One thread at a time.
class Archive {
 public:
  // `file` must outlive it.
  static Result<Archive> open(const fs::File& file, const inspection::ReadLimits& limits);

  // Passes the content of a part piece by piece until `take` returns false. kNotFound if there is no such
  // part.
  Status read(const std::string& name, const std::function<Result<bool>(std::string_view)>& take);

 private:
  struct Discard {
    void operator()(zip* archive) const noexcept;
  };
  Archive(std::unique_ptr<zip, Discard> archive, inspection::ReadLimits limits);
  Status count(std::uint64_t bytes, std::uint64_t part_bytes, std::uint64_t stored_bytes);

  std::unique_ptr<zip, Discard> archive_;
  inspection::ReadLimits limits_;
  std::uint64_t unpacked_bytes_ = 0;
};

}  // namespace sluice::sheets
