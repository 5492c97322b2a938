#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/engine/type.h"
#include "sluice/fs/file.h"

namespace sluice::arrow {

// A file of Arrow's IPC format (Feather version 2 is the same), or one with a stream of it. Its descriptions
// are read when it is opened, its rows column by column when they are wanted. Immutable; any thread.
class ArrowFile {
 public:
  // Fails with `unreadable_file` if it is damaged or no such file, and with `unsupported_file` if it is
  // Feather version 1 or has types or encodings that are not supported.
  static Result<std::shared_ptr<const ArrowFile>> open(fs::File file, const engine::RunLimits& limits);
  ArrowFile(const ArrowFile&) = delete;
  ArrowFile& operator=(const ArrowFile&) = delete;
  virtual ~ArrowFile() = default;

  virtual const std::vector<engine::Field>& columns() const = 0;
  virtual std::uint64_t rows() const = 0;
  // The columns at `wanted`, in the order of the file's rows. A batch holds one batch of the file. `self` is
  // this, which lives as long as the rows.
  virtual Result<std::unique_ptr<engine::Rows>> read(const std::vector<std::size_t>& wanted,
                                                     const engine::RunLimits& limits,
                                                     std::shared_ptr<const ArrowFile> self) const = 0;

 protected:
  ArrowFile() = default;
};

}  // namespace sluice::arrow
