#include "sluice/engine/kept_rows.h"

#include <string>
#include <utility>
#include <vector>

#include "batch_code.h"

namespace sluice::engine {

namespace {

struct Kept {
  std::vector<Field> columns;
  std::vector<std::string> batches;
};

// The columns at `wanted` of rows that are kept.
class KeptReader final : public Rows {
 public:
  KeptReader(std::shared_ptr<const Kept> kept, std::vector<std::size_t> wanted)
      : kept_(std::move(kept)), wanted_(std::move(wanted)) {
    for (const std::size_t i : wanted_) columns_.push_back(kept_->columns[i]);
  }

  const std::vector<Field>& columns() const override { return columns_; }

  Result<const Batch*> next() override {
    if (next_ == kept_->batches.size()) return nullptr;
    decoder_.decode(kept_->batches[next_++], kept_->columns, whole_);
    batch_.rows = whole_.rows;
    batch_.columns.clear();
    for (const std::size_t i : wanted_) batch_.columns.push_back(whole_.columns[i]);
    return &batch_;
  }

 private:
  const std::shared_ptr<const Kept> kept_;  // Shared with the source and its other readers.
  const std::vector<std::size_t> wanted_;
  std::vector<Field> columns_;
  std::size_t next_ = 0;
  BatchDecoder decoder_;
  Batch whole_;
  Batch batch_;
};

class KeptSource final : public Source {
 public:
  explicit KeptSource(std::shared_ptr<const Kept> kept) : kept_(std::move(kept)) {}

  const std::vector<Field>& columns() const override { return kept_->columns; }

  Result<std::unique_ptr<Rows>> read(const std::vector<std::size_t>& wanted,
                                     const ReadOptions& /*options*/) override {
    return std::unique_ptr<Rows>(std::make_unique<KeptReader>(kept_, wanted));
  }

 private:
  const std::shared_ptr<const Kept> kept_;  // Shared with its readers.
};

}  // namespace

Result<std::shared_ptr<Source>> keep_rows(Rows& rows, const KeptBounds& bounds) {
  auto kept = std::make_shared<Kept>();
  kept->columns = rows.columns();
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  while (true) {
    SLUICE_TRY(const Batch* batch, rows.next());
    if (batch == nullptr) return std::shared_ptr<Source>(std::make_shared<KeptSource>(std::move(kept)));
    count += batch->rows;
    if (count > bounds.rows_max) return std::shared_ptr<Source>();
    bytes += kept->batches.emplace_back(encode(*batch)).size();
    if (bytes > bounds.bytes_max) return std::shared_ptr<Source>();
  }
}

}  // namespace sluice::engine
