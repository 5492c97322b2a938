#include "sluice/contents/file_contents.h"

#include <utility>

#include "sluice/contents/contents.h"
#include "sluice/contents/resource_path.h"

namespace sluice::contents {

namespace {

class FileSource final : public ByteSource {
 public:
  FileSource(fs::File file, std::uint64_t bytes) : file_(std::move(file)), bytes_(bytes) {}
  std::uint64_t bytes() const override { return bytes_; }
  Result<std::string> read_at(std::uint64_t offset, std::size_t length) const override {
    return file_.read_at(offset, length);
  }

 private:
  fs::File file_;
  std::uint64_t bytes_;
};

Result<FileSource> open_source(const fs::Root& root, const std::string& path) {
  SLUICE_TRY(fs::File file, root.open_beneath(path));
  SLUICE_TRY(const fs::FileStatus status, file.status());
  return FileSource(std::move(file), status.bytes);
}

}  // namespace

Result<protocol::ResourceContents> read_file(const fs::Root& root, const FileRequest& request) {
  const Result<FileSource> source = open_source(root, request.path);
  if (!source.ok()) return read_failure(source.error(), request.uri);
  return read_contents(
      *source,
      {.name = std::string(last_name(request.path)), .uri = request.uri, .range = request.range, .type = {}});
}

}  // namespace sluice::contents
