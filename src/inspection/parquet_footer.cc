#include "sluice/inspection/parquet_footer.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/limits.h"

namespace sluice::inspection {

namespace {

constexpr std::size_t kTrailerBytes = 8;      // The footer's length and "PAR1".
constexpr std::size_t kThriftLevelsMax = 32;  // The format itself has 8.
constexpr std::size_t kVarintBytesMax = 10;   // Of 64 bits.

Error damaged_footer(std::string_view what) {
  return unavailable(fmt::format("read Parquet footer: {}", what))
      .with_code("unreadable_file")
      .with_hint("The file is damaged, incomplete or no Parquet file. Replace it with a good copy.");
}

Error too_deep(std::string_view what, std::size_t limit) {
  return unsupported(fmt::format("read Parquet footer: the schema has more than {} {}", limit, what))
      .with_code("nesting_too_deep")
      .with_hint("Flatten the nested columns, and replace the file.");
}

Error too_wide() {
  return unsupported(fmt::format("read Parquet footer: it has more than {} columns", kParquetColumnsMax))
      .with_code("too_many_columns")
      .with_hint("Split the file into several with fewer columns, or store repeated columns as rows.");
}

// Types of the compact protocol of Thrift.
enum Wire : std::uint8_t {
  kStop = 0,
  kTrue = 1,
  kFalse = 2,
  kByte = 3,
  kI16 = 4,
  kI32 = 5,
  kI64 = 6,
  kDouble = 7,
  kBinary = 8,
  kList = 9,
  kSet = 10,
  kMap = 11,
  kStruct = 12,
};

// A struct, list or map that has been entered.
struct Frame {
  Wire type = kStruct;
  std::int64_t field = 0;       // Of a struct: the last field.
  std::uint64_t remaining = 0;  // Of a list or map: values to come.
  Wire value = kStop;           // Of a list; of a map, the type of the next value,
  Wire other = kStop;           // and of the one behind it.
};

// Where numbers of interest stand: FileMetaData.num_rows, and SchemaElement.num_children, which is a field
// of the elements of the list that is FileMetaData.schema.
constexpr std::int64_t kSchemaField = 2;
constexpr std::int64_t kRowsField = 3;
constexpr std::int64_t kChildrenField = 5;

class FooterWalk {
 public:
  explicit FooterWalk(std::string_view bytes) : bytes_(bytes) {}

  Result<ParquetFooter> run() {
    frames_.push_back({});
    while (!frames_.empty()) SLUICE_CHECK(step());
    if (!has_schema_) return damaged_footer("it has no schema");
    close_complete_groups();
    if (!open_groups_.empty()) return damaged_footer("the schema ends too early");
    return footer_;
  }

 private:
  Status step() {
    Frame& top = frames_.back();
    if (top.type == kStruct) return step_struct(top);
    if (top.remaining == 0) {
      frames_.pop_back();
      return {};
    }
    --top.remaining;
    const Wire type = top.value;
    if (top.type == kMap) std::swap(top.value, top.other);
    return read_value(type, IsElement::kYes);
  }

  Status step_struct(Frame& top) {
    SLUICE_TRY(const std::uint8_t head, byte());
    const auto type = static_cast<Wire>(head & 0x0FU);
    if (type == kStop) return end_struct();
    if (const unsigned delta = head >> 4U; delta != 0) {
      top.field += delta;
    } else {
      SLUICE_TRY(top.field, signed_number());
    }
    return read_value(type, IsElement::kNo);
  }

  Status end_struct() {
    const bool is_element = is_schema_element();
    frames_.pop_back();
    return is_element ? end_element() : Status();
  }

  bool is_schema_element() const {
    return frames_.size() == 3 && frames_[0].field == kSchemaField && frames_[1].type == kList;
  }

  // The schema is a tree in depth-first order: each element says how many children follow it.
  Status end_element() {
    has_schema_ = true;
    if (++footer_.elements > kParquetElementsMax) return too_deep("elements", kParquetElementsMax);
    if (footer_.elements == 1) footer_.columns = children_;
    if (footer_.columns > kParquetColumnsMax) return too_wide();
    close_complete_groups();
    if (footer_.elements > 1 && open_groups_.empty())
      return damaged_footer("the schema has more than one root");
    if (!open_groups_.empty()) --open_groups_.back();
    if (children_ > 0) open_groups_.push_back(children_);
    children_ = 0;
    footer_.levels = std::max(footer_.levels, open_groups_.size());
    return footer_.levels > kParquetLevelsMax ? too_deep("levels", kParquetLevelsMax) : Status();
  }

  void close_complete_groups() {
    while (!open_groups_.empty() && open_groups_.back() == 0) open_groups_.pop_back();
  }

  enum class IsElement : bool { kNo, kYes };

  Status read_value(Wire type, IsElement is_element) {
    switch (type) {
      case kTrue:
      case kFalse:  // A field holds it in its type; an element takes a byte.
        return is_element == IsElement::kYes ? skip(1) : Status();
      case kByte:
        return skip(1);
      case kI16:
      case kI32:
      case kI64: {
        SLUICE_TRY(const std::int64_t number, signed_number());
        return note_number(number);
      }
      case kDouble:
        return skip(8);
      case kBinary: {
        SLUICE_TRY(const std::uint64_t length, number());
        return skip(length);
      }
      case kList:
      case kSet:
        return enter_list();
      case kMap:
        return enter_map();
      case kStruct:
        return enter({});
      case kStop:
        break;
    }
    return damaged_footer("it has a value of an unknown type");
  }

  Status note_number(std::int64_t number) {
    if (frames_.size() == 1 && frames_[0].field == kRowsField) {
      if (number < 0) return damaged_footer("it has a negative number of rows");
      footer_.rows = static_cast<std::uint64_t>(number);
    }
    if (is_schema_element() && frames_[2].field == kChildrenField) {
      if (number < 0) return damaged_footer("an element has a negative number of children");
      children_ = static_cast<std::uint64_t>(number);
    }
    return {};
  }

  Status enter_list() {
    SLUICE_TRY(const std::uint8_t head, byte());
    Frame frame{.type = kList,
                .remaining = static_cast<std::uint64_t>(head) >> 4U,
                .value = static_cast<Wire>(head & 0x0FU)};
    if (frame.remaining == 15) {
      SLUICE_TRY(frame.remaining, number());
    }
    return enter(frame);
  }

  Status enter_map() {
    SLUICE_TRY(const std::uint64_t pairs, number());
    if (pairs == 0) return {};
    SLUICE_TRY(const std::uint8_t types, byte());
    if (pairs > bytes_.size()) return damaged_footer("a map is longer than the footer");
    return enter({.type = kMap,
                  .remaining = 2 * pairs,
                  .value = static_cast<Wire>(types >> 4U),
                  .other = static_cast<Wire>(types & 0x0FU)});
  }

  Status enter(const Frame& frame) {
    // An element takes at least a byte.
    if (frame.remaining > 2 * bytes_.size()) return damaged_footer("a list is longer than the footer");
    if (frames_.size() >= kThriftLevelsMax) return damaged_footer("its structure is nested too deep");
    frames_.push_back(frame);
    return {};
  }

  Result<std::uint8_t> byte() {
    if (at_ >= bytes_.size()) return damaged_footer("it ends too early");
    return static_cast<std::uint8_t>(bytes_[at_++]);
  }

  Status skip(std::uint64_t count) {
    if (count > bytes_.size() - at_) return damaged_footer("it ends too early");
    at_ += count;
    return {};
  }

  Result<std::uint64_t> number() {
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < kVarintBytesMax; ++i) {
      SLUICE_TRY(const std::uint8_t next, byte());
      out |= static_cast<std::uint64_t>(next & 0x7FU) << (7 * i);
      if ((next & 0x80U) == 0) return out;
    }
    return damaged_footer("a number is too long");
  }

  Result<std::int64_t> signed_number() {
    SLUICE_TRY(const std::uint64_t zigzag, number());
    return static_cast<std::int64_t>((zigzag >> 1U) ^ (~(zigzag & 1U) + 1));
  }

  const std::string_view bytes_;
  std::size_t at_ = 0;
  std::vector<Frame> frames_;
  std::vector<std::uint64_t> open_groups_;  // Children to come, of each group that has been entered.
  std::uint64_t children_ = 0;              // Of the current element.
  bool has_schema_ = false;
  ParquetFooter footer_;
};

}  // namespace

Result<ParquetFooter> read_parquet_footer(const fs::File& file) {
  SLUICE_TRY(const fs::FileStatus status, file.status());
  if (status.bytes < kTrailerBytes + 4) return damaged_footer("the file is too short");
  SLUICE_TRY(const std::string trailer, file.read_at(status.bytes - kTrailerBytes, kTrailerBytes));
  if (!trailer.ends_with("PAR1")) return damaged_footer("the file does not end as a Parquet file does");
  std::uint32_t length = 0;
  std::memcpy(&length, trailer.data(), sizeof(length));
  if (length + kTrailerBytes > status.bytes) return damaged_footer("it is longer than the file");
  if (length > kParquetFooterBytesMax) {
    return unsupported(fmt::format("read Parquet footer: it has more than {} bytes", kParquetFooterBytesMax))
        .with_code("unreadable_file")
        .with_hint("Write the file with fewer columns or larger row groups.");
  }
  std::string footer;
  const std::uint64_t begin = status.bytes - kTrailerBytes - length;
  while (footer.size() < length) {
    const std::size_t wanted = std::min<std::size_t>(length - footer.size(), kFileReadBytesMax);
    SLUICE_TRY(const std::string piece, file.read_at(begin + footer.size(), wanted));
    if (piece.empty()) return damaged_footer("it ends too early");
    footer += piece;
  }
  return FooterWalk(footer).run();
}

}  // namespace sluice::inspection
