#include "sluice/contents/file_contents.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "sluice/contents/contents.h"
#include "sluice/contents/resource_path.h"

namespace sluice::contents {

namespace {

class FileSource final : public ByteSource {
 public:
  FileSource(fs::File file, std::uint64_t bytes) : file_(std::move(file)), bytes_(bytes) {}
  std::uint64_t bytes() const override { return bytes_; }
  // No more room than for the size that it had; whether it has grown since is seen by one byte beyond.
  Result<std::string> read_at(std::uint64_t offset, std::size_t length) const override {
    const std::uint64_t rest = bytes_ - std::min(bytes_, offset) + 1;
    if (rest >= length) return file_.read_at(offset, length);
    Result<std::string> bytes = file_.read_at(offset, static_cast<std::size_t>(rest));
    if (!bytes.ok() || bytes->size() < rest) return bytes;
    return file_.read_at(offset, length);
  }

 private:
  fs::File file_;
  std::uint64_t bytes_;
};

Result<FileSource> source_of(Result<fs::File> file) {
  if (!file.ok()) return file.error();
  const std::uint64_t bytes = file->bytes_when_opened();
  return FileSource(*std::move(file), bytes);
}

}  // namespace

Result<protocol::ResourceContents> read_file(const fs::Root& root, const FileRequest& request) {
  return read_file(root.open_beneath(request.path), request);
}

Result<protocol::ResourceContents> read_file(Result<fs::File> file, const FileRequest& request) {
  const Result<FileSource> source = source_of(std::move(file));
  if (!source.ok()) return read_failure(source.error(), request.uri);
  return read_contents(*source, {.name = std::string(last_name(request.path)),
                                 .uri = request.uri,
                                 .range = request.range,
                                 .type = {},
                                 .room = request.room,
                                 .binary_bytes_max = request.binary_bytes_max});
}

}  // namespace sluice::contents
