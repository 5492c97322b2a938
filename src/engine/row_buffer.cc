#include "row_buffer.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/fs/scratch_file.h"

#include "batch_builder.h"

namespace sluice::engine {

namespace {

void append_bytes(std::string& out, const void* bytes, std::size_t size) {
  out.append(static_cast<const char*>(bytes), size);
}

void append_number(std::string& out, std::uint64_t number) { append_bytes(out, &number, sizeof(number)); }

bool is_text(TypeId id) { return id == TypeId::kText || id == TypeId::kBlob; }

// One column: whether it has nulls and their bits, then its cells. A text is its length and its bytes, a list
// its cells and the rows of the child that they mean.
void encode(const Column& column, std::size_t rows, std::string& out) {
  append_number(out, column.valid == nullptr ? 0 : 1);
  if (column.valid != nullptr) append_bytes(out, column.valid, (rows + 63) / 64 * sizeof(std::uint64_t));
  if (is_text(column.type->id)) {
    for (std::size_t row = 0; row < rows; ++row) {
      const std::string_view text = column.is_null(row) ? std::string_view() : column.text(row);
      append_number(out, text.size());
      out += text;
    }
    return;
  }
  append_bytes(out, column.cells, rows * cell_bytes(*column.type));
  if (column.type->id != TypeId::kList) return;
  std::uint64_t child_rows = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    if (column.is_null(row)) continue;
    const auto list = column.at<ListCell>(row);
    child_rows = std::max(child_rows, list.offset + list.size);
  }
  append_number(out, child_rows);
  encode(column.children.front(), child_rows, out);
}

// What a decoded column needs besides the encoded bytes, which its fixed cells and long texts point into.
struct Decoded {
  std::vector<std::uint64_t> valid;
  std::vector<TextCell> texts;
  std::unique_ptr<Decoded> child;
};

// Reads what encode() has written, in the same order. The bytes are our own: they are not checked.
class Decoder {
 public:
  explicit Decoder(const std::string& bytes) : at_(bytes.data()) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, skip(sizeof(value)), sizeof(value));
    return value;
  }

  Column column(const Type& type, std::size_t rows, Decoded& decoded) {
    Column out;
    out.type = &type;
    if (number() != 0) {
      decoded.valid.resize((rows + 63) / 64);
      const std::size_t size = decoded.valid.size() * sizeof(std::uint64_t);
      std::memcpy(decoded.valid.data(), skip(size), size);
      out.valid = decoded.valid.data();
    }
    if (is_text(type.id)) {
      decoded.texts.resize(rows);
      for (TextCell& cell : decoded.texts) cell = text();
      out.cells = reinterpret_cast<const std::byte*>(decoded.texts.data());
      return out;
    }
    out.cells = reinterpret_cast<const std::byte*>(skip(rows * cell_bytes(type)));
    if (type.id == TypeId::kList) {
      decoded.child = std::make_unique<Decoded>();
      const std::size_t child_rows = number();
      out.children.push_back(column(type.fields.front().type, child_rows, *decoded.child));
    }
    return out;
  }

 private:
  const char* skip(std::size_t bytes) { return std::exchange(at_, at_ + bytes); }

  TextCell text() {
    const std::size_t size = number();
    const char* bytes = skip(size);
    TextCell cell{};
    cell.size = static_cast<std::uint32_t>(size);
    std::memcpy(cell.head, bytes, std::min(size, sizeof(cell.head)));
    if (size <= sizeof(cell.head) + sizeof(cell.tail)) {
      if (size > sizeof(cell.head))
        std::memcpy(cell.tail, bytes + sizeof(cell.head), size - sizeof(cell.head));
    } else {
      cell.pointer = bytes;
    }
    return cell;
  }

  const char* at_;  // Into the bytes of the constructor.
};

Error scratch_failed() {
  return unavailable("keep rows of a database for a statement: the scratch folder cannot be used")
      .with_code("spool_failed")
      .with_hint("Ask for fewer tables at a time, or try later.");
}

class BufferedRows final : public Rows {
 public:
  BufferedRows(std::vector<Field> columns, BufferSpace& space)
      : columns_(std::move(columns)), space_(space) {}
  BufferedRows(const BufferedRows&) = delete;
  BufferedRows& operator=(const BufferedRows&) = delete;
  ~BufferedRows() override { space_.give_back(bytes_); }

  Status add(const Batch& batch) {
    std::string encoded;
    append_number(encoded, batch.rows);
    for (const Column& column : batch.columns) encode(column, batch.rows, encoded);
    SLUICE_CHECK(space_.take(encoded.size()));
    bytes_ += encoded.size();
    sizes_.push_back(encoded.size());
    memory_ += encoded;
    const BufferOptions& options = space_.options();
    if (options.folder.empty() || (!file_.is_open() && memory_.size() <= options.memory_bytes_max)) return {};
    if (!file_.is_open() && !file_.open(options.folder).ok()) return scratch_failed();
    if (!file_.append(memory_).ok()) return scratch_failed();
    memory_.clear();
    return {};
  }

  const std::vector<Field>& columns() const override { return columns_; }

  Result<const Batch*> next() override {
    if (next_ == sizes_.size()) return nullptr;
    encoded_.resize(sizes_[next_]);
    if (file_.is_open()) {
      if (!file_.read(read_, encoded_.data(), encoded_.size()).ok()) return scratch_failed();
    } else {
      std::memcpy(encoded_.data(), memory_.data() + read_, encoded_.size());
    }
    read_ += sizes_[next_++];
    Decoder decoder(encoded_);
    batch_.rows = decoder.number();
    batch_.columns.clear();
    decoded_.clear();
    decoded_.resize(columns_.size());
    for (std::size_t i = 0; i < columns_.size(); ++i)
      batch_.columns.push_back(decoder.column(columns_[i].type, batch_.rows, decoded_[i]));
    return &batch_;
  }

 private:
  const std::vector<Field> columns_;
  BufferSpace& space_;
  std::uint64_t bytes_ = 0;
  std::vector<std::size_t> sizes_;  // Of each batch, encoded.
  std::string memory_;              // All batches, unless they are in the file.
  fs::ScratchFile file_;
  std::size_t next_ = 0;
  std::uint64_t read_ = 0;
  std::string encoded_;  // The batch that was read last, and what it points into.
  std::vector<Decoded> decoded_;
  Batch batch_;
};

}  // namespace

Status BufferSpace::take(std::uint64_t bytes) {
  if (used_.fetch_add(bytes) + bytes <= options_.bytes_max) return {};
  used_ -= bytes;
  return limit_reached("bytes of tables that are read one after the other", options_.bytes_max)
      .with_code("too_many_tables")
      .with_hint(
          "Ask for fewer tables or columns at a time, or raise "
          "max_connections in the configuration.");
}

Result<std::unique_ptr<Rows>> buffer_rows(Rows& rows, BufferSpace& space) {
  auto buffered = std::make_unique<BufferedRows>(rows.columns(), space);
  while (true) {
    SLUICE_TRY(const Batch* batch, rows.next());
    if (batch == nullptr) return std::unique_ptr<Rows>(std::move(buffered));
    SLUICE_CHECK(buffered->add(*batch));
  }
}

}  // namespace sluice::engine
