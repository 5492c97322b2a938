#include "biff_reader.h"

#include <algorithm>
#include <cstring>

#include "biff_text.h"
#include "failure.h"

namespace sluice::sheets {

namespace {

constexpr std::size_t kRecordHeaderBytes = 4;
constexpr std::size_t kBufferBytes = std::size_t{128} << 10U;  // A record has up to 64 KiB.

}  // namespace

void BiffRecord::clear() {
  bytes_.clear();
  parts_.clear();
  at_ = 0;
  next_part_ = 0;
  is_short_ = false;
}

void BiffRecord::append(std::string_view part) {
  if (!bytes_.empty()) parts_.push_back(bytes_.size());
  bytes_ += part;
}

void BiffRecord::skip(std::size_t count) {
  is_short_ = is_short_ || count > left();
  at_ += std::min(count, left());
}

std::uint8_t BiffRecord::u8() {
  is_short_ = is_short_ || left() == 0;
  return left() == 0 ? 0 : static_cast<std::uint8_t>(bytes_[at_++]);
}

std::uint16_t BiffRecord::u16() {
  const std::uint16_t low = u8();
  return static_cast<std::uint16_t>(low | (u8() << 8U));
}

std::uint32_t BiffRecord::u32() {
  const std::uint32_t low = u16();
  return low | (std::uint32_t{u16()} << 16U);
}

double BiffRecord::f64() {
  const std::uint64_t low = u32();
  const std::uint64_t bits = low | (std::uint64_t{u32()} << 32U);
  double out = 0;
  std::memcpy(&out, &bits, sizeof(out));
  return out;
}

std::string BiffRecord::text(std::size_t characters, bool is_wide) {
  std::string out;
  UnitsToUtf8 converter;
  for (std::size_t i = 0; i < characters && !is_short_; ++i) {
    while (next_part_ < parts_.size() && parts_[next_part_] < at_) ++next_part_;
    const bool begins_part = next_part_ < parts_.size() && parts_[next_part_] == at_;
    if (begins_part) is_wide = (u8() & 1U) != 0;
    converter.add(out, is_wide ? u16() : u8());
  }
  converter.finish(out);
  return out;
}

std::string BiffRecord::text_with_flags(std::size_t characters) {
  constexpr std::uint8_t kWide = 1;
  constexpr std::uint8_t kHasReading = 4;
  constexpr std::uint8_t kHasRuns = 8;
  const std::uint8_t flags = u8();
  const std::size_t runs = (flags & kHasRuns) != 0 ? u16() : 0;
  const std::size_t reading = (flags & kHasReading) != 0 ? u32() : 0;
  std::string out = text(characters, (flags & kWide) != 0);
  skip(4 * runs + reading);
  return out;
}

Result<std::string_view> BiffReader::read(std::size_t bytes) {
  const bool is_buffered = offset_ >= buffer_offset_ && offset_ + bytes <= buffer_offset_ + buffer_.size();
  if (!is_buffered) {
    SLUICE_TRY(buffer_, stream_.read_at(offset_, kBufferBytes));
    buffer_offset_ = offset_;
  }
  const std::string_view rest =
      std::string_view(buffer_).substr(static_cast<std::size_t>(offset_ - buffer_offset_));
  return rest.substr(0, bytes);
}

Result<std::optional<BiffReader::Header>> BiffReader::peek() {
  SLUICE_TRY(const std::string_view bytes, read(kRecordHeaderBytes));
  if (bytes.size() < kRecordHeaderBytes) return std::optional<Header>();
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  return std::optional<Header>({.type = static_cast<BiffType>(at(0) | (at(1) << 8U)),
                                .bytes = static_cast<std::size_t>(at(2) | (at(3) << 8U))});
}

Result<bool> BiffReader::next(BiffRecord& record) {
  record.clear();
  SLUICE_TRY(std::optional<Header> header, peek());
  if (!header) return false;
  record.type = header->type;
  do {
    offset_ += kRecordHeaderBytes;
    SLUICE_TRY(const std::string_view part, read(header->bytes));
    if (part.size() < header->bytes) return damaged_book("a record is longer than the file");
    record.append(part);
    offset_ += header->bytes;
    SLUICE_TRY(header, peek());
  } while (header && header->type == BiffType::kContinue);
  return true;
}

}  // namespace sluice::sheets
