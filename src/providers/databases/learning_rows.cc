#include "learning_rows.h"

#include <utility>

#include "sluice/base/text.h"

namespace sluice::databases {

namespace {

// The statements are made of what is known of the table: one that the database does not understand is about
// another table than there is now.
Error learn(Error error, DatabaseConnection& database, const std::function<void()>& on_misfit) {
  if (error.code == "invalid_query") {
    error = conflict("read dataset: its table has changed since it was looked at")
                .with_code("dataset_changed")
                .with_hint("Ask again in a moment; the catalog lists what there is now.");
  }
  error = with_name(std::move(error), database);
  if (error.kind != ErrorKind::kConflict) return error;
  if (on_misfit && error.code == "column_type_changed") on_misfit();
  database.outdate();
  return error;
}

// Tells the database's owner when a value refutes what was thought of its column.
class LearningRows final : public engine::Rows {
 public:
  LearningRows(std::unique_ptr<engine::Rows> rows, std::shared_ptr<DatabaseConnection> database,
               OnMisfit on_misfit)
      : columns_(rows->columns()),
        rows_(std::move(rows)),
        database_(std::move(database)),
        on_misfit_(std::move(on_misfit)) {}

  const std::vector<engine::Field>& columns() const override { return columns_; }
  Result<const engine::Batch*> next() override {
    if (!rows_) return internal_error("read rows: they have failed before");
    Result<const engine::Batch*> batch = rows_->next();
    if (!batch.ok()) {
      rows_.reset();  // Its connection is free for whoever looks at the columns.
      return learn(std::move(batch).error(), *database_, on_misfit_);
    }
    return batch;
  }

 private:
  const std::vector<engine::Field> columns_;
  std::unique_ptr<engine::Rows> rows_;
  const std::shared_ptr<DatabaseConnection> database_;  // Shared by its tables.
  const OnMisfit on_misfit_;
};

}  // namespace

Error with_name(Error error, const DatabaseConnection& database) {
  if (error.code == "database_unavailable") error.message += ": " + excerpt(database.name());
  return error;
}

Result<std::unique_ptr<engine::Rows>> run_select(const std::shared_ptr<DatabaseConnection>& database,
                                                 const engine::Select& select,
                                                 const engine::RunLimits& limits, const OnMisfit& on_misfit,
                                                 std::shared_ptr<engine::Reservation> reservation) {
  Result<std::unique_ptr<engine::Rows>> rows =
      database->database().query(select, limits, std::move(reservation));
  if (!rows.ok()) return learn(std::move(rows).error(), *database, on_misfit);
  return std::unique_ptr<engine::Rows>(std::make_unique<LearningRows>(*std::move(rows), database, on_misfit));
}

}  // namespace sluice::databases
