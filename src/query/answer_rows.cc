#include "answer_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "sluice/query/answer_stream.h"
#include "sluice/query/statement.h"

#include "kept_values.h"

namespace sluice::query {

namespace {

// Rows up to a limit, and the data that they are read from.
class AnswerStream final : public engine::Rows {
 public:
  AnswerStream(std::unique_ptr<const Relation> relation, std::unique_ptr<engine::Rows> rows,
               std::optional<std::uint64_t> limit)
      : relation_(std::move(relation)), rows_(std::move(rows)), left_(limit.value_or(UINT64_MAX)) {}

  const std::vector<engine::Field>& columns() const override { return rows_->columns(); }

  Result<const engine::Batch*> next() override {
    if (left_ == 0) return nullptr;
    SLUICE_TRY(const engine::Batch* batch, rows_->next());
    if (batch == nullptr || batch->rows <= left_) {
      left_ -= batch == nullptr ? 0 : batch->rows;
      return batch;
    }
    last_ = *batch;
    last_.rows = std::exchange(left_, 0);
    return &last_;
  }

 private:
  const std::unique_ptr<const Relation> relation_;  // Before the rows: they end first.
  const std::unique_ptr<engine::Rows> rows_;
  std::uint64_t left_;
  engine::Batch last_;
};

}  // namespace

Result<Relation> open_relation(const engine::Engine& engine, const AnswerRequest& request) {
  SLUICE_TRY(Relation relation, request.dataset->open(*request.table, request.limits, &request.question));
  if (!relation.answer)
    SLUICE_CHECK(check_kept_values(engine, request.question, *request.dataset, *request.table));
  return relation;
}

Result<std::unique_ptr<engine::Rows>> open_rows(engine::Engine& engine, const AnswerRequest& request,
                                                const Relation& relation,
                                                std::optional<std::uint64_t> limit) {
  if (!relation.answer)
    return engine.query(statement_of(request.question, *request.table, relation, limit), request.limits);
  std::vector<std::size_t> all(relation.answer->columns().size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return relation.answer->read(all, {.limits = request.limits, .reservation = {}});
}

Result<std::unique_ptr<engine::Rows>> stream_answer(engine::Engine& engine, const AnswerRequest& request) {
  SLUICE_TRY(Relation opened, open_relation(engine, request));
  auto relation = std::make_unique<const Relation>(std::move(opened));
  const std::optional<std::uint64_t> limit = request.question.limit;
  SLUICE_TRY(std::unique_ptr<engine::Rows> rows, open_rows(engine, request, *relation, limit));
  return std::unique_ptr<engine::Rows>(
      std::make_unique<AnswerStream>(std::move(relation), std::move(rows), limit));
}

}  // namespace sluice::query
