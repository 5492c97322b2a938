#include "files/archive.h"

#include <fcntl.h>
#include <unistd.h>
#include <zip.h>

#include <array>
#include <memory>

#include "sluice/base/text.h"

namespace sluice::ckan {

namespace {

constexpr zip_int64_t kEntriesMax = 10'000;
constexpr std::size_t kPieceBytes = 256 * 1024;

struct Discard {
  void operator()(zip_t* archive) const noexcept { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, Discard>;

struct Close {
  void operator()(zip_file_t* file) const noexcept { zip_fclose(file); }
};
using Member = std::unique_ptr<zip_file_t, Close>;

Error invalid_archive(std::string_view what) {
  return unavailable(std::string("The file is a zip that cannot be read: ") + std::string(what))
      .with_code("invalid_archive")
      .with_hint("Choose another resource of the dataset.");
}

Result<Archive> open_archive(const fs::File& file) {
  // The library takes the descriptor, and closes it.
  const int descriptor = ::fcntl(file.descriptor(), F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0) return internal_error("open an archive: no descriptor is left");
  int error = 0;
  Archive archive(zip_fdopen(descriptor, ZIP_CHECKCONS, &error));
  if (!archive) {
    ::close(descriptor);
    return invalid_archive("it is broken");
  }
  return archive;
}

}  // namespace

Result<std::vector<ArchiveEntry>> list_archive(const fs::File& file) {
  SLUICE_TRY(const Archive archive, open_archive(file));
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  if (count > kEntriesMax) return invalid_archive("it has too many entries");
  std::vector<ArchiveEntry> out;
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(archive.get(), static_cast<zip_uint64_t>(i), ZIP_FL_ENC_GUESS);
    if (name == nullptr) continue;
    out.push_back({.name = name, .index = static_cast<std::uint64_t>(i)});
  }
  return out;
}

Status extract(const fs::File& file, const ArchiveEntry& entry, std::uint64_t bytes_max, fs::FileWriter& out,
               const std::stop_token& stop) {
  SLUICE_TRY(const Archive archive, open_archive(file));
  zip_stat_t status{};
  if (zip_stat_index(archive.get(), entry.index, 0, &status) == 0 &&
      (status.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && status.encryption_method != ZIP_EM_NONE)
    return invalid_archive("it is encrypted");
  const Member member(zip_fopen_index(archive.get(), entry.index, 0));
  if (!member) return invalid_archive("what is in it is packed in a way that is not known");
  std::string piece(kPieceBytes, '\0');
  while (true) {
    if (stop.stop_requested()) return cancelled();
    const zip_int64_t read = zip_fread(member.get(), piece.data(), piece.size());
    if (read < 0) return invalid_archive("what is in it is broken");
    if (read == 0) return {};
    if (static_cast<std::uint64_t>(read) > bytes_max - out.bytes())
      return limit_reached("bytes of a file in an archive", bytes_max).with_code("answer_too_large");
    SLUICE_CHECK(out.write(std::string_view(piece).substr(0, static_cast<std::size_t>(read))));
  }
}

}  // namespace sluice::ckan
