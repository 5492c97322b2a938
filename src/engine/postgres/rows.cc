#include "rows.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/engine/batch_builder.h"

#include "connection/errors.h"
#include "connection/session.h"
#include "tables/column_types.h"
#include "values/numbers.h"
#include "values/values.h"

namespace sluice::engine::postgres {

namespace {

// The type that holds the value as well as those of `type`.
Type widened(const Type& type, std::string_view text) {
  const std::optional<Digits> digits = type.id == TypeId::kDecimal ? digits_of(text) : std::nullopt;
  if (digits) {
    const std::size_t scale = std::max<std::size_t>(type.scale, digits->fraction);
    if (digits->whole + scale <= kDecimalDigitsMax) {
      return Type{
          .id = TypeId::kDecimal, .width = kDecimalDigitsMax, .scale = static_cast<std::uint8_t>(scale)};
    }
  }
  return Type{.id = TypeId::kText};
}

class PostgresRows final : public Rows {
 public:
  PostgresRows(Lease lease, Reaper& reaper, TypeMemory& memory, const Select& select, Waiter waiter,
               RowsMoment moment)
      : moment_(std::move(moment)),
        lease_(std::move(lease)),
        reaper_(reaper),
        memory_(memory),
        table_(select.table),
        columns_(select.columns),
        builder_(columns_),
        waiter_(std::move(waiter)) {}

  PostgresRows(const PostgresRows&) = delete;
  PostgresRows& operator=(const PostgresRows&) = delete;

  ~PostgresRows() override {
    if (!lease_.item) return;
    if (!lease_.item->is_alive()) {
      lease_.item.reset();
    } else if (state_ == State::kFailed) {
      lease_.item->leave_transaction();
    } else if (state_ == State::kRunning) {
      reaper_.take(std::move(lease_));
    }
  }

  Status begin(const Statement& statement) {
    Link& link = *lease_.item;
    SLUICE_CHECK(send_select(
        link, statement, {.purpose = Purpose::kRun, .moment = moment_.moment, .snapshot = moment_.snapshot},
        waiter_));
    if (Status status = receive_begin(link, statement, waiter_); !status.ok()) {
      note_failure(status.error());
      return status;
    }
    SLUICE_CHECK(link.stream_rows());
    return fetch();
  }

  const std::vector<Field>& columns() const override { return columns_; }

  Result<const Batch*> next() override {
    // A peer that was told "cancelled" must not receive rows afterwards.
    SLUICE_CHECK(check_limits(waiter_.limits()));
    builder_.clear();
    while (row_ && !builder_.is_full()) {
      SLUICE_CHECK(add_row());
      SLUICE_CHECK(fetch());
    }
    if (state_ == State::kOver && lease_.item) leave();
    if (builder_.is_empty()) return nullptr;
    return builder_.finish();
  }

 private:
  enum class State : std::uint8_t { kRunning, kOver, kFailed };

  // Where the server itself has ended the statement, nothing is left to cancel.
  void note_failure(const Error& error) {
    if (error.kind != ErrorKind::kCancelled && error.kind != ErrorKind::kDeadline) state_ = State::kFailed;
  }

  // The next row into `row_`; none at the end.
  Status fetch() {
    row_.reset();
    SLUICE_TRY(Answer answer, lease_.item->receive(waiter_));
    if (!answer) return internal_error("read rows of a database");
    const ExecStatusType status = PQresultStatus(answer.get());
    if (status != PGRES_SINGLE_TUPLE && status != PGRES_TUPLES_OK) {
      state_ = State::kFailed;
      return error_of(answer.get());
    }
    if (static_cast<std::size_t>(PQnfields(answer.get())) != columns_.size()) {
      return internal_error("read rows: the statement yields another number of columns");
    }
    if (status == PGRES_SINGLE_TUPLE) {
      row_ = std::move(answer);
    } else {
      state_ = State::kOver;
    }
    return {};
  }

  Status add_row() {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const int index = static_cast<int>(i);
      ColumnBuilder& column = builder_.columns()[i];
      if (PQgetisnull(row_.get(), 0, index) == 1) {
        column.add_null();
        continue;
      }
      const std::string_view text(PQgetvalue(row_.get(), 0, index),
                                  static_cast<std::size_t>(PQgetlength(row_.get(), 0, index)));
      if (add_value(text, column)) continue;
      memory_.remember(table_, columns_[i].name, widened(columns_[i].type, text));
      return column_type_changed(columns_[i].name);
    }
    builder_.end_row();
    return {};
  }

  // The connection serves others, although the rows may live on: other reads of the statement, if all of them
  // see one moment.
  void leave() {
    Lease given_back = std::move(lease_);
    if (moment_.connections) moment_.connections->add_idle(std::move(given_back.item));
  }

  const RowsMoment moment_;  // First: the lease ends before the reservation that it is of.
  Lease lease_;
  Reaper& reaper_;
  TypeMemory& memory_;
  const TableName table_;
  const std::vector<Field> columns_;
  BatchBuilder builder_;
  Waiter waiter_;
  Answer row_;
  State state_ = State::kRunning;
};

}  // namespace

Result<std::unique_ptr<Rows>> start_rows(Lease lease, Reaper& reaper, TypeMemory& memory,
                                         const Select& select, const RunLimits& limits,
                                         const RowsMoment& moment) {
  for (const Field& column : select.columns) {
    if (!is_decoded(column.type)) {
      return unsupported("values of PostgreSQL are not read as the type " + polars_name(column.type));
    }
  }
  SLUICE_TRY(Waiter waiter, Waiter::make(limits));
  auto rows =
      std::make_unique<PostgresRows>(std::move(lease), reaper, memory, select, std::move(waiter), moment);
  SLUICE_CHECK(rows->begin(select.statement));
  return std::unique_ptr<Rows>(std::move(rows));
}

}  // namespace sluice::engine::postgres
