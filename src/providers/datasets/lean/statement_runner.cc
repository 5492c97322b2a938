#include "sluice/datasets/statement_runner.h"

#include <utility>

#include "sluice/query/answer_stream.h"
#include "sluice/query/result_file.h"

#include "lean/explain.h"
#include "lean/statement.h"

namespace sluice::datasets {

namespace {

using lean::CheckedStatement;

// Rows, and what they are read from.
class StatementRows final : public engine::Rows {
 public:
  StatementRows(Subject subject, std::unique_ptr<engine::Rows> rows)
      : subject_(std::move(subject)), rows_(std::move(rows)) {}

  const std::vector<engine::Field>& columns() const override { return rows_->columns(); }
  Result<const engine::Batch*> next() override { return rows_->next(); }

 private:
  const Subject subject_;  // Before the rows: they end first.
  const std::unique_ptr<engine::Rows> rows_;
};

query::AnswerRequest request_of(const CheckedStatement& checked, const catalog::Context& context,
                                const StatementRunner::Observer& observer) {
  query::AnswerRequest out;
  out.dataset = checked.subject.dataset;
  out.table = checked.subject.table.get();
  out.question = checked.question;
  out.format = query::Format::kParquet;
  out.principal = context.principal();
  // No time is kept back for an answer to a client.
  out.limits = {.deadline = context.deadline(), .stop = context.stop(), .progress = observer.progress};
  return out;
}

class DatasetStatements final : public StatementRunner {
 public:
  explicit DatasetStatements(Services services) : dataset_tools_(std::move(services)) {}

  Result<Opened> open(const std::string& sql, catalog::Context& context,
                      const Observer& observer) const override {
    SLUICE_TRY(CheckedStatement checked, lean::check_statement(dataset_tools_, {.sql = sql}, context));
    SLUICE_TRY(std::unique_ptr<engine::Rows> rows,
               query::stream_answer(*checked.subject.engine, request_of(checked, context, observer)));
    return Opened{.rows = std::make_unique<StatementRows>(std::move(checked.subject), std::move(rows)),
                  .warnings = std::move(checked.question.warnings)};
  }

  Result<Written> write_parquet(const std::string& sql, catalog::Context& context,
                                const Observer& observer) const override {
    SLUICE_TRY(const CheckedStatement checked, lean::check_statement(dataset_tools_, {.sql = sql}, context));
    const query::AnswerRequest request = request_of(checked, context, observer);
    engine::Engine& engine = *checked.subject.engine;
    query::Spool& spool = *dataset_tools_.services().spool;
    SLUICE_TRY(query::Answer answer, query::answer(engine, spool, request));
    SLUICE_TRY(query::FilePtr file,
               query::result_file(engine, spool, *answer.snapshot, query::Format::kParquet, request.limits));
    return Written{.file = std::move(file), .rows = answer.row_count, .warnings = std::move(answer.warnings)};
  }

  Result<std::string> explain(const std::string& sql, catalog::Context& context) const override {
    SLUICE_TRY(const CheckedStatement checked, lean::check_statement(dataset_tools_, {.sql = sql}, context));
    return lean::explain(dataset_tools_, checked);
  }

 private:
  const DatasetTools dataset_tools_;
};

}  // namespace

std::unique_ptr<StatementRunner> make_statement_runner(Services services) {
  return std::make_unique<DatasetStatements>(std::move(services));
}

}  // namespace sluice::datasets
