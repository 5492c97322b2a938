#include "sluice/fs/file_writer.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "os_error.h"

namespace sluice::fs {

FileWriter::FileWriter(Descriptor descriptor, std::string relative_path)
    : descriptor_(std::move(descriptor)), relative_path_(std::move(relative_path)) {}

Status FileWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return os_error("write file", errno, relative_path_);
    bytes.remove_prefix(static_cast<std::size_t>(written));
    bytes_ += static_cast<std::uint64_t>(written);
  }
  return {};
}

}  // namespace sluice::fs
