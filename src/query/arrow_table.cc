#include "sluice/query/arrow_table.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/arrow/arrow_file.h"
#include "sluice/base/text.h"

#include "columns.h"

namespace sluice::query {

namespace {

using ArrowFilePtr = std::shared_ptr<const arrow::ArrowFile>;

class ArrowSource final : public engine::Source {
 public:
  ArrowSource(ArrowFilePtr file, std::vector<engine::Field> columns)
      : file_(std::move(file)), columns_(std::move(columns)) {}

  const std::vector<engine::Field>& columns() const override { return columns_; }
  Result<std::unique_ptr<engine::Rows>> read(const std::vector<std::size_t>& wanted,
                                             const engine::ReadOptions& options) override {
    return file_->read(wanted, options.limits, file_);
  }

 private:
  const ArrowFilePtr file_;                   // Shared with the rows that are read.
  const std::vector<engine::Field> columns_;  // By their visible names.
};

// The columns under names that can be seen, no two of which are the same.
std::vector<engine::Field> visible_columns(const arrow::ArrowFile& file) {
  std::vector<engine::Field> out;
  for (const engine::Field& column : file.columns()) {
    engine::Field visible{.name = encode_controls(column.name), .type = column.type};
    if (visible.name.empty()) visible.name = fmt::format("column{}", out.size());
    while (has_column(out, visible.name)) visible.name += '_';
    out.push_back(std::move(visible));
  }
  return out;
}

class ArrowTable final : public Dataset {
 public:
  ArrowTable(Identity identity, std::shared_ptr<const fs::Root> root,
             std::shared_ptr<engine::Sources> sources)
      : Dataset(std::move(identity)), root_(std::move(root)), sources_(std::move(sources)) {}

  Result<Table> inspect(engine::Engine& /*engine*/, const engine::RunLimits& limits) const override {
    SLUICE_TRY(const ArrowFilePtr file, open_file(limits));
    set_row_count(file->rows());
    Table table;
    table.row_number = "row_number() OVER ()";
    table.columns = visible_columns(*file);
    return table;
  }

  Result<Relation> open(const Table& table, const engine::RunLimits& limits,
                        const expression::Question* /*question*/) const override {
    SLUICE_TRY(ArrowFilePtr file, open_file(limits));
    engine::Sources::Offer offered =
        sources_->offer(std::make_shared<ArrowSource>(std::move(file), table.columns));
    Relation relation;
    relation.sql = std::move(offered.sql);
    relation.lease = std::move(offered.lease);
    return relation;
  }

  void count_quickly(Monotonic deadline) const override {
    if (count_state() != CountState::kPending) return;
    const Result<ArrowFilePtr> file = open_file({.deadline = deadline, .stop = {}});
    if (file.ok()) set_row_count((*file)->rows());
  }

  bool is_current() const override {
    const Result<fs::Entry> entry = root_->stat(identity().path);
    return entry.ok() && entry->bytes == identity().bytes && entry->modified == identity().modified;
  }

  Result<std::string> read_beside(std::string_view /*suffix*/) const override {
    return not_found("an Arrow file has no file beside it");
  }

 private:
  Result<ArrowFilePtr> open_file(const engine::RunLimits& limits) const {
    Result<fs::File> file = root_->open_beneath(identity().path);
    const auto changed = [this] {
      return conflict("read dataset: its file is gone or has changed since it was listed: " + excerpt(name()))
          .with_code("dataset_changed")
          .with_hint("Ask again in a moment; the catalog lists what there is now.");
    };
    if (!file.ok()) return changed();
    SLUICE_TRY(const fs::FileStatus status, file->status());
    if (status.bytes != identity().bytes || status.modified != identity().modified) return changed();
    return arrow::ArrowFile::open(*std::move(file), limits);
  }

  const std::shared_ptr<const fs::Root> root_;      // Shared by the datasets of the folder.
  const std::shared_ptr<engine::Sources> sources_;  // Shared with the engine.
};

}  // namespace

DatasetPtr make_arrow_table(Dataset::Identity identity, std::shared_ptr<const fs::Root> root,
                            std::shared_ptr<engine::Sources> sources) {
  return std::make_shared<const ArrowTable>(std::move(identity), std::move(root), std::move(sources));
}

}  // namespace sluice::query
