#include "rows.h"

#include <utility>
#include <vector>

#include "sluice/engine/batch_builder.h"

#include "values.h"

namespace sluice::engine::sqlite {

namespace {

class SqliteRows final : public Rows {
 public:
  SqliteRows(Lease lease, TypeMemory& memory, const Select& select, const RunLimits& limits)
      : lease_(std::move(lease)),
        watch_(*lease_.item, limits),
        limits_(limits),
        memory_(memory),
        table_(select.table),
        columns_(select.columns),
        builder_(columns_) {}

  Status begin(const Statement& statement) {
    SLUICE_TRY(prepared_, lease_.item->prepare(statement, Author::kCaller));
    if (static_cast<std::size_t>(sqlite3_column_count(prepared_.get())) != columns_.size()) {
      return internal_error("read rows: the statement yields another number of columns");
    }
    return {};
  }

  const std::vector<Field>& columns() const override { return columns_; }

  Result<const Batch*> next() override {
    // A peer that was told "cancelled" must not receive rows afterwards.
    SLUICE_CHECK(check_limits(limits_));
    builder_.clear();
    while (!is_over_ && !builder_.is_full()) {
      SLUICE_TRY(const bool has_row, lease_.item->step(prepared_.get()));
      if (!has_row) {
        is_over_ = true;
        prepared_.reset();  // Ends the read transaction, although the rows may live on.
        break;
      }
      SLUICE_CHECK(add_row());
    }
    if (builder_.is_empty()) return nullptr;
    return builder_.finish();
  }

 private:
  Status add_row() {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const int index = static_cast<int>(i);
      if (add_value(prepared_.get(), index, builder_.columns()[i])) continue;
      memory_.remember(table_, columns_[i].name, widened(columns_[i].type, prepared_.get(), index));
      return column_type_changed(columns_[i].name);
    }
    builder_.end_row();
    return {};
  }

  Lease lease_;  // First: everything below ends before the session goes back.
  Session::Watch watch_;
  const RunLimits limits_;
  TypeMemory& memory_;
  const TableName table_;
  const std::vector<Field> columns_;
  BatchBuilder builder_;
  Prepared prepared_;
  bool is_over_ = false;
};

}  // namespace

Result<std::unique_ptr<Rows>> start_rows(Lease lease, TypeMemory& memory, const Select& select,
                                         const RunLimits& limits) {
  for (const Field& column : select.columns) {
    if (!is_decoded(column.type.id)) {
      return unsupported("SQLite has no values of the type " + polars_name(column.type));
    }
  }
  auto rows = std::make_unique<SqliteRows>(std::move(lease), memory, select, limits);
  SLUICE_CHECK(rows->begin(select.statement));
  return std::unique_ptr<Rows>(std::move(rows));
}

}  // namespace sluice::engine::sqlite
