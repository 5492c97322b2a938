#include "record_source.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"
#include "sluice/plan/engine_sql.h"
#include "sluice/records/view_plan.h"

namespace sluice::records_provider {

namespace {

using engine::quote_name;
using engine::RunLimits;

// What ends a read: the statement that reads, or the question that the source was opened for.
RunLimits narrower(const RunLimits& question, const RunLimits& statement) {
  return {.deadline = std::min(question.deadline, statement.deadline),
          .stop = statement.stop.stop_possible() ? statement.stop : question.stop};
}

engine::Type type_in_table(const engine::Type& type) {
  return engine::is_readable(type) ? type : engine::Type{.id = engine::TypeId::kText};
}

bool may_be_the_file(const Error& error) {
  return error.kind == ErrorKind::kInvalidInput || error.kind == ErrorKind::kUnavailable;
}

// The statement is this program's own, so that only the file can be at fault.
Error reading_failed(Error error, const std::string& data_type) {
  if (!may_be_the_file(error)) return error;
  return invalid_input(fmt::format("read records: the file of the data type is broken: {}", data_type))
      .with_code("unreadable_file")
      .with_hint("Put a good copy of the file there, or bring the records back with restore_snapshot.");
}

Status read_all(engine::Engine& engine, const engine::Statement& statement, const RunLimits& limits) {
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows, engine.query(statement, limits));
  while (true) {
    SLUICE_TRY(const engine::Batch* batch, rows->next());
    if (batch == nullptr) return {};
  }
}

// What an answer fails with: a number that is too large, say, unless the records cannot be read at all.
Error answering_failed(Error error, const records::View& view, const RunLimits& limits) {
  if (!may_be_the_file(error)) return error;
  std::string counts;
  for (const engine::Field& column : view.columns)
    counts += fmt::format("{}count({})", counts.empty() ? "" : ", ", quote_name(column.name));
  const Status read =
      read_all(*view.engine, {.sql = fmt::format("SELECT {} FROM {}", counts, view.relation)}, limits);
  return read.ok() ? error : reading_failed(read.error(), view.data_type);
}

// Reports an error of the file as such.
class RecordRows final : public engine::Rows {
 public:
  using Explain = Error (*)(Error, const records::View&, const RunLimits&);

  RecordRows(std::unique_ptr<engine::Rows> rows, ViewPtr view, Explain explain, RunLimits limits)
      : view_(std::move(view)), rows_(std::move(rows)), explain_(explain), limits_(std::move(limits)) {}

  const std::vector<engine::Field>& columns() const override { return rows_->columns(); }
  Result<const engine::Batch*> next() override {
    Result<const engine::Batch*> batch = rows_->next();
    if (!batch.ok()) return explain_(std::move(batch).error(), *view_, limits_);
    return batch;
  }

 private:
  const ViewPtr view_;  // Shared with the source; it keeps the files open.
  const std::unique_ptr<engine::Rows> rows_;
  const Explain explain_;
  const RunLimits limits_;
};

Result<std::unique_ptr<engine::Rows>> run(const ViewPtr& view, const engine::Statement& statement,
                                          RecordRows::Explain explain, const RunLimits& limits) {
  Result<std::unique_ptr<engine::Rows>> rows = view->engine->query(statement, limits);
  if (!rows.ok()) return explain(std::move(rows).error(), *view, limits);
  return std::unique_ptr<engine::Rows>(std::make_unique<RecordRows>(*std::move(rows), view, explain, limits));
}

// The records under the names that statements know.
std::string visible_list(const records::View& view, const expression::Columns& columns) {
  std::string out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const engine::Field& column = view.columns[i];
    const std::string name = quote_name(column.name);
    out += out.empty() ? "" : ", ";
    out += engine::is_readable(column.type) ? name : fmt::format("CAST({} AS VARCHAR)", name);
    out += " AS " + quote_name(columns[i].name);
  }
  return out;
}

std::string names_at(const expression::Columns& columns, const std::vector<std::size_t>& wanted) {
  std::string out;
  for (const std::size_t i : wanted) (out += out.empty() ? "" : ", ") += quote_name(columns[i].name);
  return out.empty() ? "true" : out;  // Where only the number of rows counts.
}

// The records of one moment.
class ScanSource final : public engine::Source {
 public:
  ScanSource(ViewPtr view, RowOrder order, RunLimits limits)
      : view_(std::move(view)), columns_(columns_of(*view_)), order_(order), limits_(std::move(limits)) {}

  // Leaves out rows that do not meet the condition if the store's engine can tell.
  void restrict(const plan::Condition& condition) {
    engine::Statement where;
    where.sql = " WHERE " + plan::engine_condition(condition, columns_, where.parameters);
    const engine::Statement trial{.sql = select({}, where.sql), .parameters = where.parameters};
    if (view_->engine->describe(trial, limits_).ok()) where_ = std::move(where);
  }

  const std::vector<engine::Field>& columns() const override { return columns_; }

  Result<std::unique_ptr<engine::Rows>> read(const std::vector<std::size_t>& wanted,
                                             const engine::ReadOptions& options) override {
    const auto explain = [](Error error, const records::View& view, const RunLimits&) {
      return reading_failed(std::move(error), view.data_type);
    };
    return run(view_, {.sql = select(wanted, where_.sql), .parameters = where_.parameters}, explain,
               narrower(limits_, options.limits));
  }

 private:
  std::string select(const std::vector<std::size_t>& wanted, const std::string& where) const {
    const std::string row = quote_name(records::kRowColumn);
    std::string sql =
        fmt::format("SELECT {} FROM (SELECT {}, {} FROM {}) AS records{}", names_at(columns_, wanted),
                    visible_list(*view_, columns_), row, view_->relation, where);
    if (order_ == RowOrder::kOfRecords && !view_->is_ordered) sql += " ORDER BY " + row;
    return sql;
  }

  const ViewPtr view_;
  const std::vector<engine::Field> columns_;
  const RowOrder order_;
  const RunLimits limits_;
  engine::Statement where_;
};

// The answer to a question, as the store's engine computes it.
class AnswerSource final : public engine::Source {
 public:
  AnswerSource(ViewPtr view, engine::Statement statement, std::vector<engine::Field> columns,
               RunLimits limits)
      : view_(std::move(view)),
        statement_(std::move(statement)),
        columns_(std::move(columns)),
        limits_(std::move(limits)) {}

  const std::vector<engine::Field>& columns() const override { return columns_; }

  Result<std::unique_ptr<engine::Rows>> read(const std::vector<std::size_t>& wanted,
                                             const engine::ReadOptions& options) override {
    engine::Statement part = statement_;
    if (wanted.size() != columns_.size() || !std::is_sorted(wanted.begin(), wanted.end()))
      part.sql = fmt::format("SELECT {} FROM ({}) AS whole", names_at(columns_, wanted), statement_.sql);
    return run(view_, part, answering_failed, narrower(limits_, options.limits));
  }

 private:
  const ViewPtr view_;
  const engine::Statement statement_;
  const std::vector<engine::Field> columns_;
  const RunLimits limits_;
};

// Whether the rows of the table themselves are wanted, and nothing that is computed of them.
bool is_plain_read(const plan::Node& plan) {
  if (const auto* filter = std::get_if<plan::Filter>(&plan.op)) return is_plain_read(*filter->input);
  return std::holds_alternative<plan::Scan>(plan.op);
}

// Whether the rows come as the scan gives them. Groups and distinct rows have no order but that of a sort.
bool shows_row_order(const plan::Node& plan) {
  for (const plan::Node* at = &plan; at != nullptr; at = plan::input_of(*at)) {
    const bool is_ordered = std::holds_alternative<plan::Sort>(at->op) ||
                            std::holds_alternative<plan::Aggregate>(at->op) ||
                            std::holds_alternative<plan::Distinct>(at->op);
    if (is_ordered) return false;
  }
  return true;
}

const plan::Condition* filter_of(const plan::Node& plan) {
  for (const plan::Node* at = &plan; at != nullptr; at = plan::input_of(*at)) {
    const auto* filter = std::get_if<plan::Filter>(&at->op);
    if (filter != nullptr && std::holds_alternative<plan::Scan>(filter->input->op)) return &filter->condition;
  }
  return nullptr;
}

// Whether a condition fails for some texts of its own: the caller has to hear of that.
// NOLINTNEXTLINE(misc-no-recursion): as deep as a condition.
bool has_pattern(const plan::Condition& condition) {
  return condition.kind == plan::Condition::Kind::kMatches ||
         std::any_of(condition.parts.begin(), condition.parts.end(), has_pattern);
}

engine::Statement answering_statement(const records::View& view, const expression::Question& question,
                                      const plan::Node& scan) {
  const plan::Node& plan = *question.plan;
  const std::string list = visible_list(view, scan.columns);
  engine::Statement out =
      records::statement_of(view, question.plan, {.list = list, .is_sorted = shows_row_order(plan)});
  const bool has_limit = std::holds_alternative<plan::Limit>(plan.op);
  if (!out.sql.empty() && has_limit && (question.limit || question.offset > 0))
    out.sql = fmt::format("SELECT * FROM ({}) AS answer", out.sql);
  std::optional<std::uint64_t> rows = question.limit;
  if (rows && *rows < UINT64_MAX) ++*rows;  // One more tells that there are more.
  if (!out.sql.empty()) out.sql += plan::limit_sql(rows, question.offset);
  return out;
}

}  // namespace

expression::Columns columns_of(const records::View& view) {
  expression::Columns out;
  for (const engine::Field& column : view.columns) {
    std::string name = column.name;
    const auto is_taken = [&] {
      return std::any_of(out.begin(), out.end(),
                         [&](const engine::Field& other) { return equal_ignoring_case(other.name, name); });
    };
    while (is_taken()) name += '_';
    out.push_back({.name = std::move(name), .type = type_in_table(column.type)});
  }
  return out;
}

std::shared_ptr<engine::Source> scan_source(const ViewPtr& view, RowOrder order,
                                            const plan::PhysicalPlan& plan, const RunLimits& limits) {
  auto source = std::make_shared<ScanSource>(view, order, limits);
  const plan::Condition* filter = plan ? filter_of(*plan) : nullptr;
  if (filter != nullptr && !has_pattern(*filter)) source->restrict(*filter);
  return source;
}

std::shared_ptr<engine::Source> answer_source(const ViewPtr& view, const expression::Question& question,
                                              const RunLimits& limits) {
  if (!question.plan || plan::is_engine_query(*question.plan) || is_plain_read(*question.plan))
    return nullptr;
  if (question.kept_values > 0) return nullptr;
  const plan::Node* scan = &*question.plan;
  while (const plan::Node* input = plan::input_of(*scan)) scan = input;
  if (!std::holds_alternative<plan::Scan>(scan->op)) return nullptr;  // A join, or rows of several SELECTs.
  if (scan->columns.size() != view->columns.size()) return nullptr;
  engine::Statement statement = answering_statement(*view, question, *scan);
  if (statement.sql.empty()) return nullptr;
  Result<engine::Description> answer = view->engine->describe(statement, limits);
  if (!answer.ok() || answer->columns.size() != question.plan->columns.size()) return nullptr;
  const auto is_readable = [](const engine::Field& column) { return engine::is_readable(column.type); };
  if (!std::all_of(answer->columns.begin(), answer->columns.end(), is_readable)) return nullptr;
  return std::make_shared<AnswerSource>(view, std::move(statement), std::move(answer->columns), limits);
}

}  // namespace sluice::records_provider
