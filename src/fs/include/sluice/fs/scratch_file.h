#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/fs/descriptor.h"

namespace sluice::fs {

// A file without a name, which nobody else can open and which is gone with this object. One thread at a time.
class ScratchFile {
 public:
  // On the file system of `folder`, which is made if only its last part is missing.
  Status open(const std::string& folder);
  bool is_open() const { return descriptor_.is_open(); }

  Status append(std::string_view bytes);
  Status read(std::uint64_t from, char* to, std::size_t size) const;  // Fails at the end of the file.

 private:
  Descriptor descriptor_;
};

}  // namespace sluice::fs
