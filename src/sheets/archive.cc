#include "archive.h"

#include <zip.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "sluice/base/text.h"
#include "sluice/sheets/limits.h"

#include "failure.h"

namespace sluice::sheets {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{64} << 10U;
constexpr std::size_t kArchiveReadBytesMax = std::size_t{256} << 10U;
// The record that ends an archive, and the longest comment that may follow it.
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kCommentBytesMax = 0xFFFF;

// How libzip reads the file: at places of its own, so that nobody else's position moves.
struct FileReads {
  const fs::File& file;
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;
  zip_error_t error{};
};

zip_int64_t read_some(FileReads& reads, void* to, zip_uint64_t length) {
  const std::size_t wanted = std::min<std::size_t>(length, kArchiveReadBytesMax);
  const Result<std::string> bytes = reads.file.read_at(reads.offset, wanted);
  if (!bytes.ok()) {
    zip_error_set(&reads.error, ZIP_ER_READ, 0);
    return -1;
  }
  std::memcpy(to, bytes->data(), bytes->size());
  reads.offset += bytes->size();
  return static_cast<zip_int64_t>(bytes->size());
}

zip_int64_t serve(void* user, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  auto& reads = *static_cast<FileReads*>(user);
  switch (command) {
    case ZIP_SOURCE_OPEN:
      reads.offset = 0;
      return 0;
    case ZIP_SOURCE_READ:
      return read_some(reads, data, length);
    case ZIP_SOURCE_CLOSE:
      return 0;
    case ZIP_SOURCE_STAT: {
      auto* status = static_cast<zip_stat_t*>(data);
      zip_stat_init(status);
      status->valid = ZIP_STAT_SIZE;
      status->size = reads.bytes;
      return sizeof(zip_stat_t);
    }
    case ZIP_SOURCE_SEEK: {
      const zip_int64_t offset =
          zip_source_seek_compute_offset(reads.offset, reads.bytes, data, length, &reads.error);
      if (offset < 0) return -1;
      reads.offset = static_cast<std::uint64_t>(offset);
      return 0;
    }
    case ZIP_SOURCE_TELL:
      return static_cast<zip_int64_t>(reads.offset);
    case ZIP_SOURCE_ERROR:
      return zip_error_to_data(&reads.error, data, length);
    case ZIP_SOURCE_FREE:
      delete &reads;
      return 0;
    case ZIP_SOURCE_SUPPORTS:
      return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
                                            ZIP_SOURCE_STAT, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL,
                                            ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
    default:
      zip_error_set(&reads.error, ZIP_ER_OPNOTSUPP, 0);
      return -1;
  }
}

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < sizeof(out); ++i)
    out |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return out;
}

// libzip reads the list of parts whole. An archive so large that its list needs the fields of 64 bits is
// larger than a book may be.
Status check_list(const fs::File& file, std::uint64_t bytes) {
  const std::uint64_t tail = std::min<std::uint64_t>(bytes, kEndBytes + kCommentBytesMax);
  SLUICE_TRY(const std::string end, file.read_at(bytes - tail, tail));
  const std::size_t at = end.rfind(std::string_view("PK\5\6", 4));
  if (at == std::string::npos || end.size() - at < kEndBytes)
    return damaged_book("it is no zip file, or its end is missing");
  constexpr std::size_t kListBytesAt = 12;
  if (number_at(end, at + kListBytesAt) > kArchiveListBytesMax)
    return too_large_book("bytes of the list of parts of a workbook", kArchiveListBytesMax);
  return {};
}

struct ClosePart {
  void operator()(zip_file_t* part) const noexcept { zip_fclose(part); }
};

}  // namespace

void Archive::Discard::operator()(zip* archive) const noexcept { zip_discard(archive); }

Archive::Archive(std::unique_ptr<zip, Discard> archive, inspection::ReadLimits limits)
    : archive_(std::move(archive)), limits_(std::move(limits)) {}

Result<Archive> Archive::open(const fs::File& file, const inspection::ReadLimits& limits) {
  SLUICE_TRY(const fs::FileStatus status, file.status());
  if (status.bytes > kBookBytesMax) return too_large_book("bytes of a workbook", kBookBytesMax);
  SLUICE_CHECK(check_list(file, status.bytes));
  auto reads = std::make_unique<FileReads>(FileReads{.file = file, .bytes = status.bytes});
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_function_create(serve, reads.get(), &error);
  if (source == nullptr) return internal_error("read workbook: no memory for libzip");
  reads.release();  // The source's from here on.
  std::unique_ptr<zip, Discard> archive(zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error));
  zip_error_fini(&error);
  if (!archive) {
    zip_source_free(source);
    return damaged_book("the zip file is damaged");
  }
  return Archive(std::move(archive), limits);
}

Status Archive::count(std::uint64_t bytes, std::uint64_t part_bytes, std::uint64_t stored_bytes) {
  if (limits_.stop.stop_requested()) return cancelled();
  if (system_clock().now() > limits_.deadline) return deadline_exceeded();
  unpacked_bytes_ += bytes;
  if (unpacked_bytes_ > kBookBytesMax)
    return too_large_book("bytes of a workbook when it is unpacked", kBookBytesMax);
  if (part_bytes > kUnpackedBytesFree && part_bytes / kUnpackedRatioMax > stored_bytes)
    return too_large_book("times that a part of a workbook grows when it is unpacked", kUnpackedRatioMax);
  return {};
}

Status Archive::read(const std::string& name, const std::function<Result<bool>(std::string_view)>& take) {
  const zip_int64_t index = zip_name_locate(archive_.get(), name.c_str(), ZIP_FL_NOCASE);
  if (index < 0) return not_found("read workbook: no part " + excerpt(name));
  zip_stat_t status;
  zip_stat_init(&status);
  const auto at = static_cast<zip_uint64_t>(index);
  if (zip_stat_index(archive_.get(), at, 0, &status) != 0 || (status.valid & ZIP_STAT_COMP_SIZE) == 0)
    return damaged_book("the zip file is damaged");
  if ((status.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && status.encryption_method != ZIP_EM_NONE)
    return unsupported_book("it is encrypted", "Save the workbook without a password.");
  const std::unique_ptr<zip_file_t, ClosePart> part(zip_fopen_index(archive_.get(), at, 0));
  if (!part) return damaged_book("a part is packed in an unknown way: " + excerpt(name));
  std::string piece(kPieceBytes, '\0');
  std::uint64_t bytes = 0;
  while (true) {
    const zip_int64_t got = zip_fread(part.get(), piece.data(), piece.size());
    if (got < 0) return damaged_book("a part cannot be unpacked: " + excerpt(name));
    if (got == 0) return {};
    bytes += static_cast<std::uint64_t>(got);
    SLUICE_CHECK(count(static_cast<std::uint64_t>(got), bytes, status.comp_size));
    SLUICE_TRY(const bool goes_on, take(std::string_view(piece).substr(0, static_cast<std::size_t>(got))));
    if (!goes_on) return {};
  }
}

}  // namespace sluice::sheets
