#include "sluice/arrow/arrow_file.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sluice/arrow/limits.h"
#include "sluice/base/clock.h"
#include "sluice/engine/source.h"

#include "arrow_failure.h"
#include "buffer_reader.h"
#include "column_decoder.h"
#include "flat_table.h"
#include "schema_reader.h"

namespace sluice::arrow {

namespace {

constexpr std::string_view kFileMark = "ARROW1";
constexpr std::string_view kFeatherMark = "FEA1";
constexpr std::uint32_t kContinuation = 0xFFFFFFFF;
constexpr std::uint64_t kFileBegin = 8;  // The mark, padded.
constexpr std::uint64_t kFooterEndBytes = 10;
constexpr std::uint64_t kAlignmentBytes = 8;

enum class MessageKind : std::uint8_t { kSchema = 1, kDictionary = 2, kRows = 3 };

// Where the description of a message stands, and how long it and its body are.
struct MessagePlace {
  std::uint64_t offset = 0;
  std::uint64_t metadata_bytes = 0;
  std::uint64_t body_offset = 0;
  std::uint64_t body_bytes = 0;
  MessageKind kind = MessageKind::kRows;
};

template <typename T>
T number_in(std::string_view bytes, std::size_t at) {
  T out;
  std::memcpy(&out, bytes.data() + at, sizeof(T));
  return out;
}

class IpcFile final : public ArrowFile {
 public:
  IpcFile(fs::File file, std::uint64_t bytes) : file_(std::move(file)), bytes_(bytes) {}

  Status load(const engine::RunLimits& limits) {
    SLUICE_TRY(const std::string begin, file_.read_at(0, kFileBegin));
    if (begin.starts_with(kFeatherMark)) return unsupported_arrow("Feather version 1");
    const bool is_file = begin.starts_with(kFileMark);
    if (is_file) {
      SLUICE_CHECK(load_footer());
    } else {
      SLUICE_CHECK(load_stream(0, limits));
    }
    if (fields_.empty()) return damaged_arrow("it has no schema");
    for (const ArrowField& field : fields_) columns_.push_back({.name = field.name, .type = field.type});
    return count_rows(limits);
  }

  const std::vector<engine::Field>& columns() const override { return columns_; }
  std::uint64_t rows() const override { return rows_; }
  Result<std::unique_ptr<engine::Rows>> read(const std::vector<std::size_t>& wanted,
                                             const engine::RunLimits& limits,
                                             std::shared_ptr<const ArrowFile> self) const override;

  const std::vector<ArrowField>& fields() const { return fields_; }
  const std::vector<MessagePlace>& messages() const { return messages_; }
  const fs::File& file() const { return file_; }

  // The description of a message, which must be of a kind.
  Result<std::string> read_metadata(const MessagePlace& place) const {
    SLUICE_TRY(std::string bytes, read_bytes(file_, place.offset, place.metadata_bytes));
    if (bytes.size() < place.metadata_bytes) return damaged_arrow("it ends too early");
    return bytes;
  }

 private:
  Status load_footer() {
    if (bytes_ < kFileBegin + kFooterEndBytes) return damaged_arrow("it ends too early");
    SLUICE_TRY(const std::string end, file_.read_at(bytes_ - kFooterEndBytes, kFooterEndBytes));
    if (end.size() < kFooterEndBytes || !end.ends_with(kFileMark)) return damaged_arrow("its end is missing");
    const auto footer_bytes = static_cast<std::uint64_t>(number_in<std::uint32_t>(end, 0));
    if (footer_bytes > std::min(kArrowMetadataBytesMax, bytes_ - kFooterEndBytes))
      return damaged_arrow("its end is damaged");
    SLUICE_TRY(const std::string footer,
               read_bytes(file_, bytes_ - kFooterEndBytes - footer_bytes, footer_bytes));
    bool is_damaged = false;
    const std::optional<FlatTable> root = FlatTable::root(footer, is_damaged);
    const std::optional<FlatTable> schema = root ? root->table(1) : std::nullopt;
    if (!schema) return damaged_arrow("it has no schema");
    SLUICE_TRY(fields_, read_schema(*schema));
    SLUICE_CHECK(add_blocks(*root, 2, MessageKind::kDictionary));
    SLUICE_CHECK(add_blocks(*root, 3, MessageKind::kRows));
    return is_damaged ? Status(damaged_arrow("its end is damaged")) : Status();
  }

  Status add_blocks(const FlatTable& footer, std::size_t field, MessageKind kind) {
    constexpr std::size_t kBlockBytes = 24;
    const FlatTable::Vector blocks = footer.vector(field, kBlockBytes);
    if (blocks.size > kArrowMessagesMax)
      return too_large_arrow("batches of an Arrow file", kArrowMessagesMax);
    for (std::size_t i = 0; i < blocks.size; ++i) {
      const auto offset = footer.item_at<std::uint64_t>(blocks, i, kBlockBytes, 0);
      SLUICE_TRY(const std::optional<MessagePlace> place, message_at(offset));
      if (!place || place->kind != kind)
        return damaged_arrow("a batch is not where the end of the file says");
      messages_.push_back(*place);
    }
    return {};
  }

  Status load_stream(std::uint64_t offset, const engine::RunLimits& limits) {
    while (true) {
      if (limits.stop.stop_requested()) return cancelled();
      if (system_clock().now() > limits.deadline) return deadline_exceeded();
      SLUICE_TRY(const std::optional<MessagePlace> place, message_at(offset));
      if (!place) return {};
      if (place->kind != MessageKind::kSchema) {
        messages_.push_back(*place);
      } else if (fields_.empty()) {
        SLUICE_CHECK(load_schema(*place));
      }
      if (messages_.size() > kArrowMessagesMax)
        return too_large_arrow("batches of an Arrow file", kArrowMessagesMax);
      offset = place->body_offset + place->body_bytes;
    }
  }

  Status load_schema(const MessagePlace& place) {
    SLUICE_TRY(const std::string metadata, read_metadata(place));
    bool is_damaged = false;
    const std::optional<FlatTable> message = FlatTable::root(metadata, is_damaged);
    const std::optional<FlatTable> schema = message ? message->table(2) : std::nullopt;
    if (!schema) return damaged_arrow("it has no schema");
    SLUICE_TRY(fields_, read_schema(*schema));
    return is_damaged ? Status(damaged_arrow("its schema is damaged")) : Status();
  }

  // The message that begins at an offset; nullopt at the end of the stream.
  Result<std::optional<MessagePlace>> message_at(std::uint64_t offset) const {
    if (offset >= bytes_) return std::optional<MessagePlace>();
    SLUICE_TRY(const std::string head, file_.read_at(offset, kAlignmentBytes));
    if (head.size() < kAlignmentBytes || number_in<std::uint32_t>(head, 0) != kContinuation)
      return damaged_arrow("a message does not begin where it should");
    MessagePlace out{.offset = offset + kAlignmentBytes, .metadata_bytes = number_in<std::uint32_t>(head, 4)};
    if (out.metadata_bytes == 0) return std::optional<MessagePlace>();
    if (out.metadata_bytes > std::min(kArrowMetadataBytesMax, bytes_ - offset))
      return damaged_arrow("it ends too early");
    SLUICE_TRY(const std::string metadata, read_metadata(out));
    bool is_damaged = false;
    const std::optional<FlatTable> message = FlatTable::root(metadata, is_damaged);
    if (!message) return damaged_arrow("a message is damaged");
    const auto body = message->scalar<std::int64_t>(3, 0);
    out.kind = static_cast<MessageKind>(message->scalar<std::uint8_t>(1, 0));
    out.body_offset = out.offset + out.metadata_bytes;
    const bool fits = body >= 0 && out.body_offset <= bytes_ &&
                      static_cast<std::uint64_t>(body) <= bytes_ - out.body_offset;
    if (is_damaged || !fits) return damaged_arrow("a message is longer than the file");
    if (out.kind != MessageKind::kSchema && out.kind != MessageKind::kDictionary &&
        out.kind != MessageKind::kRows)
      return unsupported_arrow("a message that is no table");
    out.body_bytes = static_cast<std::uint64_t>(body);
    return std::optional(out);
  }

  Status count_rows(const engine::RunLimits& limits) {
    for (const MessagePlace& place : messages_) {
      if (place.kind != MessageKind::kRows) continue;
      if (limits.stop.stop_requested()) return cancelled();
      SLUICE_TRY(const std::string metadata, read_metadata(place));
      bool is_damaged = false;
      const std::optional<FlatTable> message = FlatTable::root(metadata, is_damaged);
      const std::optional<FlatTable> batch = message ? message->table(2) : std::nullopt;
      const std::int64_t rows = batch ? batch->scalar<std::int64_t>(0, 0) : -1;
      if (is_damaged || rows < 0) return damaged_arrow("a batch is damaged");
      rows_ += static_cast<std::uint64_t>(rows);
    }
    return {};
  }

  const fs::File file_;
  const std::uint64_t bytes_;
  std::vector<ArrowField> fields_;
  std::vector<engine::Field> columns_;
  std::vector<MessagePlace> messages_;
  std::uint64_t rows_ = 0;
};

const ArrowField* dictionary_field(const std::vector<ArrowField>& fields, std::int64_t id) {
  for (const ArrowField& field : fields) {
    if (field.dictionary && field.dictionary->id == id) return &field;
    if (const ArrowField* found = dictionary_field(field.children, id)) return found;
  }
  return nullptr;
}

// Reads one batch after the other, with the dictionaries that stand before it.
class IpcRows final : public engine::Rows {
 public:
  IpcRows(const IpcFile& file, const std::vector<std::size_t>& wanted, engine::RunLimits limits,
          std::shared_ptr<const ArrowFile> lease)
      : file_(file), wanted_(wanted), limits_(std::move(limits)), lease_(std::move(lease)) {
    for (const std::size_t i : wanted_) columns_.push_back(file_.columns()[i]);
  }

  const std::vector<engine::Field>& columns() const override { return columns_; }

  Result<const engine::Batch*> next() override {
    while (next_ < file_.messages().size()) {
      const MessagePlace& place = file_.messages()[next_++];
      if (place.kind == MessageKind::kDictionary) {
        SLUICE_CHECK(take_dictionary(place));
        continue;
      }
      SLUICE_CHECK(take_rows(place));
      if (batch_.rows > 0) return &batch_;
    }
    return nullptr;
  }

 private:
  // What a message holds. Its tables view `metadata`.
  struct Opened {
    std::string metadata;
    bool is_damaged = false;
    std::optional<FlatTable> header;
  };

  Status open(const MessagePlace& place, Opened& out) const {
    SLUICE_TRY(out.metadata, file_.read_metadata(place));
    const std::optional<FlatTable> message = FlatTable::root(out.metadata, out.is_damaged);
    out.header = message ? message->table(2) : std::nullopt;
    return out.header ? Status() : Status(damaged_arrow("a batch is damaged"));
  }

  Result<BatchLayout> layout_of(const FlatTable& batch, const MessagePlace& place,
                                const Opened& opened) const {
    SLUICE_TRY(BatchLayout layout,
               read_layout(batch, {.offset = place.body_offset, .bytes = place.body_bytes}));
    if (opened.is_damaged) return damaged_arrow("a batch is damaged");
    return layout;
  }

  Status take_dictionary(const MessagePlace& place) {
    Opened opened;
    SLUICE_CHECK(open(place, opened));
    const auto id = opened.header->scalar<std::int64_t>(0, 0);
    const bool is_delta = opened.header->scalar<std::uint8_t>(2, 0) != 0;
    const std::optional<FlatTable> batch = opened.header->table(1);
    const ArrowField* field = dictionary_field(file_.fields(), id);
    if (!batch || field == nullptr) return damaged_arrow("a dictionary belongs to no column");
    SLUICE_TRY(const BatchLayout layout, layout_of(*batch, place, opened));
    dictionary_bytes_ += place.body_bytes + layout.rows * sizeof(engine::TextCell);
    if (dictionary_bytes_ > kArrowBatchBytesMax)
      return too_large_arrow("bytes of the dictionaries of an Arrow file", kArrowBatchBytesMax);
    BufferReader buffers(file_.file(), layout, limits_);
    ColumnDecoder decoder(buffers, dictionaries_);
    SLUICE_TRY(DecodedColumn values, decoder.decode_plain(*field, layout.rows));
    const auto known = dictionaries_.find(id);
    if (is_delta && known != dictionaries_.end()) {
      append(known->second, values);
    } else {
      dictionaries_.insert_or_assign(id, std::move(values));
    }
    return {};
  }

  Status take_rows(const MessagePlace& place) {
    Opened opened;
    SLUICE_CHECK(open(place, opened));
    SLUICE_TRY(const BatchLayout layout, layout_of(*opened.header, place, opened));
    BufferReader buffers(file_.file(), layout, limits_);
    ColumnDecoder decoder(buffers, dictionaries_);
    std::vector<DecodedColumn> decoded(file_.fields().size());
    for (std::size_t i = 0; i < file_.fields().size(); ++i) {
      const ArrowField& field = file_.fields()[i];
      if (std::find(wanted_.begin(), wanted_.end(), i) == wanted_.end()) {
        SLUICE_CHECK(decoder.skip(field));
      } else {
        SLUICE_TRY(decoded[i], decoder.decode(field, layout.rows));
      }
    }
    decoded_ = std::move(decoded);
    batch_.rows = static_cast<std::size_t>(layout.rows);
    batch_.columns.clear();
    for (const std::size_t i : wanted_) batch_.columns.push_back(decoded_[i].view());
    return {};
  }

  const IpcFile& file_;
  const std::vector<std::size_t> wanted_;
  const engine::RunLimits limits_;
  const std::shared_ptr<const ArrowFile> lease_;  // Of the file.
  std::vector<engine::Field> columns_;
  std::size_t next_ = 0;  // Message.
  Dictionaries dictionaries_;
  std::uint64_t dictionary_bytes_ = 0;
  std::vector<DecodedColumn> decoded_;
  engine::Batch batch_;
};

Result<std::unique_ptr<engine::Rows>> IpcFile::read(const std::vector<std::size_t>& wanted,
                                                    const engine::RunLimits& limits,
                                                    std::shared_ptr<const ArrowFile> self) const {
  return std::unique_ptr<engine::Rows>(std::make_unique<IpcRows>(*this, wanted, limits, std::move(self)));
}

}  // namespace

Result<std::shared_ptr<const ArrowFile>> ArrowFile::open(fs::File file, const engine::RunLimits& limits) {
  SLUICE_TRY(const fs::FileStatus status, file.status());
  auto out = std::make_shared<IpcFile>(std::move(file), status.bytes);
  SLUICE_CHECK(out->load(limits));
  return std::shared_ptr<const ArrowFile>(std::move(out));
}

}  // namespace sluice::arrow
