#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"

#include "compound_file.h"

namespace sluice::sheets {

// The kinds of records in an .xls file that mean something here.
enum class BiffType : std::uint16_t {
  kFormula = 0x0006,
  kEnd = 0x000A,
  kDateMode = 0x0022,
  kFilePassword = 0x002F,
  kContinue = 0x003C,
  kSheet = 0x0085,
  kManyNumbers = 0x00BD,
  kRichText = 0x00D6,
  kStyle = 0x00E0,
  kSharedTexts = 0x00FC,
  kSharedTextCell = 0x00FD,
  kTextCell = 0x0204,
  kNumber = 0x0203,
  kBooleanOrError = 0x0205,
  kFormulaText = 0x0207,
  kShortNumber = 0x027E,
  kFormat = 0x041E,
  kBegin = 0x0809,
};

// A record with those that continue it. Reading beyond the end gives zeros and marks the record as short.
class BiffRecord {
 public:
  BiffType type = BiffType::kEnd;

  void clear();
  void append(std::string_view part);

  std::size_t size() const { return bytes_.size(); }
  bool is_short() const { return is_short_; }
  std::size_t left() const { return bytes_.size() - at_; }
  void seek(std::size_t at) { at_ = at; }
  void skip(std::size_t count);
  std::uint8_t u8();
  std::uint16_t u16();
  std::uint32_t u32();
  double f64();
  // So many characters. The part of a text that stands in a further record has a flag of its own.
  std::string text(std::size_t characters, bool is_wide);
  // With its flags, and whatever follows it that is no text.
  std::string text_with_flags(std::size_t characters);

 private:
  std::string bytes_;
  std::vector<std::size_t> parts_;  // Where further records begin.
  std::size_t at_ = 0;
  std::size_t next_part_ = 0;
  bool is_short_ = false;
};

// The records of a stream from an offset on.
class BiffReader {
 public:
  BiffReader(const CompoundStream& stream, std::uint64_t offset) : stream_(stream), offset_(offset) {}

  // False at the end of the stream.
  Result<bool> next(BiffRecord& record);

 private:
  struct Header {
    BiffType type;
    std::size_t bytes;
  };
  Result<std::optional<Header>> peek();
  Result<std::string_view> read(std::size_t bytes);

  const CompoundStream& stream_;
  std::uint64_t offset_;  // Of what is read next.
  std::string buffer_;
  std::uint64_t buffer_offset_ = 0;
};

}  // namespace sluice::sheets
