#include "compound_file.h"

#include <algorithm>
#include <utility>

#include "sluice/sheets/limits.h"

#include "biff_text.h"
#include "failure.h"

namespace sluice::sheets {

namespace {

constexpr std::string_view kMark = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
constexpr std::size_t kHeaderBytes = 512;
constexpr std::size_t kSmallSectorBytes = 64;
constexpr std::size_t kEntryBytes = 128;
constexpr std::size_t kListInHeaderAt = 76;
constexpr std::size_t kListInHeader = 109;
constexpr std::uint32_t kLastSector = 0xFFFFFFFA;  // Larger numbers mark ends and free sectors.
constexpr std::uint64_t kDirectoryBytesMax = std::uint64_t{4} << 20U;

std::uint32_t u16(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]) |
         (std::uint32_t{static_cast<unsigned char>(bytes[at + 1])} << 8U);
}
std::uint32_t u32(std::string_view bytes, std::size_t at) {
  return u16(bytes, at) | (u16(bytes, at + 2) << 16U);
}

struct Entry {
  std::string name;
  std::uint32_t type = 0;
  std::uint32_t first = 0;
  std::uint64_t size = 0;
};

Entry entry_of(std::string_view bytes) {
  constexpr std::size_t kNameBytesMax = 64;
  Entry out;
  UnitsToUtf8 converter;
  const std::size_t name_bytes = std::min<std::size_t>(u16(bytes, 64), kNameBytesMax);
  for (std::size_t i = 0; i + 2 <= name_bytes; i += 2)
    converter.add(out.name, static_cast<std::uint16_t>(u16(bytes, i)));
  converter.finish(out.name);
  out.type = static_cast<unsigned char>(bytes[66]);
  out.first = u32(bytes, 116);
  out.size = u32(bytes, 120);
  return out;
}

}  // namespace

// Follows the chains of sectors: each link comes from the file, so every chain has a bound.
class CompoundReader {
 public:
  CompoundReader(const fs::File& file, inspection::ReadLimits limits, std::uint64_t file_bytes)
      : file_(file), limits_(std::move(limits)), file_bytes_(file_bytes) {}

  Status read_header() {
    SLUICE_TRY(const std::string header, file_.read_at(0, kHeaderBytes));
    if (header.size() < kHeaderBytes || !header.starts_with(kMark)) return damaged_book("it is no .xls file");
    const std::uint32_t shift = u16(header, 30);
    if ((shift != 9 && shift != 12) || u16(header, 32) != 6)
      return damaged_book("its sectors have no known size");
    sector_bytes_ = std::size_t{1} << shift;
    directory_first_ = u32(header, 48);
    small_stream_max_ = u32(header, 56);
    small_table_first_ = u32(header, 60);
    return read_table(header);
  }

  Result<std::vector<Entry>> read_directory() {
    SLUICE_TRY(const std::vector<std::uint32_t> chain,
               chain_of(table_, directory_first_, kDirectoryBytesMax));
    std::vector<Entry> out;
    for (const std::uint32_t sector : chain) {
      SLUICE_TRY(const std::string bytes, read_sector(sector));
      for (std::size_t at = 0; at + kEntryBytes <= bytes.size(); at += kEntryBytes)
        out.push_back(entry_of(std::string_view(bytes).substr(at, kEntryBytes)));
    }
    if (out.empty()) return damaged_book("it has no streams");
    return out;
  }

  Result<CompoundStream> open(const Entry& entry, const Entry& root) {
    CompoundStream out(file_, limits_);
    out.name_ = entry.name;
    out.size_ = entry.size;
    if (entry.size > file_bytes_) return damaged_book("a stream is longer than the file");
    if (entry.size >= small_stream_max_) {
      SLUICE_TRY(const std::vector<std::uint32_t> chain, chain_of(table_, entry.first, entry.size));
      out.piece_bytes_ = sector_bytes_;
      for (const std::uint32_t sector : chain) out.pieces_.push_back(offset_of(sector));
    } else {
      SLUICE_CHECK(find_small_pieces(entry, root, out));
      out.piece_bytes_ = kSmallSectorBytes;
    }
    if (out.pieces_.size() * out.piece_bytes_ < out.size_) return damaged_book("a stream ends too early");
    return out;
  }

 private:
  using Table = std::vector<std::uint32_t>;

  std::uint64_t offset_of(std::uint32_t sector) const { return (std::uint64_t{sector} + 1) * sector_bytes_; }
  std::uint64_t sectors() const { return file_bytes_ / sector_bytes_ + 1; }

  Result<std::string> read_sector(std::uint32_t sector) {
    if (limits_.stop.stop_requested()) return cancelled();
    if (system_clock().now() > limits_.deadline) return deadline_exceeded();
    return file_.read_at(offset_of(sector), sector_bytes_);
  }

  Status append_table(Table& table, std::uint32_t sector) {
    SLUICE_TRY(const std::string bytes, read_sector(sector));
    for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) table.push_back(u32(bytes, at));
    return {};
  }

  // Which sector follows which. The sectors of this table are listed in the header, and then in a chain.
  Status read_table(std::string_view header) {
    std::vector<std::uint32_t> listed;
    for (std::size_t i = 0; i < kListInHeader; ++i) listed.push_back(u32(header, kListInHeaderAt + 4 * i));
    std::uint32_t next = u32(header, 68);
    for (std::uint64_t i = 0; i < sectors() && next <= kLastSector; ++i) {
      SLUICE_TRY(const std::string bytes, read_sector(next));
      if (bytes.size() < sector_bytes_) return damaged_book("it ends too early");
      for (std::size_t at = 0; at + 8 <= bytes.size(); at += 4) listed.push_back(u32(bytes, at));
      next = u32(bytes, sector_bytes_ - 4);
    }
    for (const std::uint32_t sector : listed) {
      if (sector > kLastSector) continue;
      if (table_.size() > sectors()) break;
      SLUICE_CHECK(append_table(table_, sector));
    }
    return {};
  }

  Result<std::vector<std::uint32_t>> chain_of(const Table& table, std::uint32_t first,
                                              std::uint64_t bytes_max) {
    const std::uint64_t length_max = std::min(bytes_max / sector_bytes_ + 1, sectors());
    std::vector<std::uint32_t> out;
    for (std::uint32_t sector = first; sector <= kLastSector && out.size() < length_max;) {
      if (sector >= table.size()) return damaged_book("a chain of sectors leads out of the file");
      out.push_back(sector);
      sector = table[sector];
    }
    return out;
  }

  // Short streams share sectors: they lie in the stream of the root entry, in pieces of 64 bytes.
  Status find_small_pieces(const Entry& entry, const Entry& root, CompoundStream& out) {
    SLUICE_TRY(const std::vector<std::uint32_t> shared, chain_of(table_, root.first, root.size));
    SLUICE_TRY(const std::vector<std::uint32_t> table_chain,
               chain_of(table_, small_table_first_, kDirectoryBytesMax));
    Table small_table;
    for (const std::uint32_t sector : table_chain) SLUICE_CHECK(append_table(small_table, sector));
    const std::size_t per_sector = sector_bytes_ / kSmallSectorBytes;
    std::uint32_t at = entry.first;
    for (std::uint64_t i = 0; i * kSmallSectorBytes < entry.size; ++i) {
      if (at >= small_table.size() || at / per_sector >= shared.size())
        return damaged_book("a chain of sectors leads out of the file");
      out.pieces_.push_back(offset_of(shared[at / per_sector]) + (at % per_sector) * kSmallSectorBytes);
      at = small_table[at];
    }
    return {};
  }

  const fs::File& file_;
  const inspection::ReadLimits limits_;
  const std::uint64_t file_bytes_;
  std::size_t sector_bytes_ = 0;
  std::uint32_t directory_first_ = 0;
  std::uint32_t small_stream_max_ = 0;
  std::uint32_t small_table_first_ = 0;
  Table table_;
};

Result<CompoundStream> CompoundStream::open(const fs::File& file, const std::vector<std::string_view>& names,
                                            const inspection::ReadLimits& limits) {
  SLUICE_TRY(const fs::FileStatus status, file.status());
  if (status.bytes > kBookBytesMax) return too_large_book("bytes of a workbook", kBookBytesMax);
  CompoundReader reader(file, limits, status.bytes);
  SLUICE_CHECK(reader.read_header());
  SLUICE_TRY(const std::vector<Entry> entries, reader.read_directory());
  constexpr std::uint32_t kStreamType = 2;
  for (const std::string_view name : names) {
    for (const Entry& entry : entries) {
      if (entry.type == kStreamType && entry.name == name) return reader.open(entry, entries.front());
    }
  }
  return not_found("read workbook: no such stream");
}

Result<std::string> CompoundStream::read_at(std::uint64_t offset, std::size_t length) const {
  if (limits_.stop.stop_requested()) return cancelled();
  if (system_clock().now() > limits_.deadline) return deadline_exceeded();
  std::string out;
  if (offset >= size_) return out;
  length = static_cast<std::size_t>(std::min<std::uint64_t>(length, size_ - offset));
  while (out.size() < length) {
    const std::uint64_t at = offset + out.size();
    const std::size_t first = static_cast<std::size_t>(at / piece_bytes_);
    const std::size_t within = static_cast<std::size_t>(at % piece_bytes_);
    std::size_t last = first + 1;  // Pieces that follow each other are read together.
    while (last < pieces_.size() && pieces_[last] == pieces_[last - 1] + piece_bytes_) ++last;
    const std::size_t wanted = std::min(length - out.size(), (last - first) * piece_bytes_ - within);
    SLUICE_TRY(const std::string bytes, file_->read_at(pieces_[first] + within, wanted));
    if (bytes.empty()) return damaged_book("it ends too early");
    out += bytes;
  }
  return out;
}

}  // namespace sluice::sheets
