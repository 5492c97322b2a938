#include "sluice/engine/row_buffer.h"

#include <cstring>
#include <utility>
#include <vector>

#include "sluice/fs/scratch_file.h"

#include "batch_code.h"

namespace sluice::engine {

namespace {

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
    const std::string encoded = encode(batch);
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
    decoder_.decode(encoded_, columns_, batch_);
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
  std::string encoded_;  // The batch that was read last, which points into it and into the decoder.
  BatchDecoder decoder_;
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
