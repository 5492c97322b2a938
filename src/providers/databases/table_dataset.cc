#include "table_dataset.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/expression/question.h"
#include "sluice/plan/fragment.h"
#include "sluice/query/row_order.h"

#include "column_looks.h"
#include "few_rows.h"
#include "learning_rows.h"

namespace sluice::databases {

namespace {

// PostgreSQL does not tell when a table gets another column.
constexpr std::chrono::seconds kLayoutLifetime{60};
constexpr std::chrono::milliseconds kVersionTime{50};

// Whether the database knows the columns of an answer by its own names, and so which of them a value refutes.
bool names_columns(const engine::Select& select, const engine::TableLayout& layout) {
  if (select.table.name.empty()) return false;
  return std::all_of(select.columns.begin(), select.columns.end(), [&](const engine::Field& column) {
    return std::any_of(layout.columns.begin(), layout.columns.end(),
                       [&](const engine::TableColumn& theirs) { return theirs.name == column.name; });
  });
}

// The question with its limit and offset, if a database may be able to compute it. One row more than the
// limit tells that there are more. A limit in the plan itself, which SQL has, stays as it is.
plan::PhysicalPlan plan_of(const expression::Question* question) {
  if (question == nullptr || !question->plan) return nullptr;
  std::optional<std::uint64_t> rows = question->limit;
  if (rows && *rows < UINT64_MAX) ++*rows;
  return question->plan.limited(rows, question->offset);
}

// The rows that a plan needs of its table. Null: all.
const plan::Condition* filter_of(const plan::Node& plan) {
  for (const plan::Node* at = &plan; at != nullptr; at = plan::input_of(*at)) {
    const auto* filter = std::get_if<plan::Filter>(&at->op);
    if (filter != nullptr && std::holds_alternative<plan::Scan>(filter->input->op)) return &filter->condition;
  }
  return nullptr;
}

// Whether the rows of the table themselves are wanted, and nothing that is computed of them.
bool is_plain_read(const plan::Node& plan) {
  if (const auto* filter = std::get_if<plan::Filter>(&plan.op)) return is_plain_read(*filter->input);
  return std::holds_alternative<plan::Scan>(plan.op);
}

std::string_view name_of(expression::Language language) {
  switch (language) {
    case expression::Language::kArguments:
      return "arguments";
    case expression::Language::kSql:
      return "sql";
    case expression::Language::kPolars:
      return "polars";
  }
  return "";
}

// The digest tells questions apart: one may open its dataset several times.
void log_answer(const std::string& dataset, const expression::Question& question) {
  if (!log::enabled(log::Level::kDebug)) return;
  log::debug("databases.answer", {{"dataset", dataset},
                                  {"language", name_of(question.language)},
                                  {"plan", std::hash<std::string>()(plan::to_json(*question.plan))}});
}

// What ends a read: the statement that reads, or the question that the source was opened for.
engine::RunLimits narrower(const engine::RunLimits& question, const engine::RunLimits& statement) {
  return {.deadline = std::min(question.deadline, statement.deadline),
          .stop = statement.stop.stop_possible() ? statement.stop : question.stop};
}

// The answer to a question, as the database gives it.
class AnswerSource final : public engine::Source {
 public:
  AnswerSource(std::shared_ptr<DatabaseConnection> database, engine::Select select, engine::RunLimits limits,
               OnMisfit on_misfit)
      : database_(std::move(database)),
        select_(std::move(select)),
        limits_(std::move(limits)),
        on_misfit_(std::move(on_misfit)) {}

  const std::vector<engine::Field>& columns() const override { return select_.columns; }

  engine::Database* database() const override { return &database_->database(); }

  Result<std::unique_ptr<engine::Rows>> read(const std::vector<std::size_t>& wanted,
                                             const engine::ReadOptions& options) override {
    if (wanted.size() == select_.columns.size() && std::is_sorted(wanted.begin(), wanted.end()))
      return run_select(database_, select_, narrower(limits_, options.limits), on_misfit_,
                        options.reservation);
    engine::Select part = select_;
    part.columns.clear();
    std::string list;
    for (const std::size_t i : wanted) {
      list += (list.empty() ? "" : ", ") + engine::quote_name(select_.columns[i].name);
      part.columns.push_back(select_.columns[i]);
    }
    if (list.empty()) {
      list = "1";
      part.columns.push_back({.name = "one", .type = {.id = engine::TypeId::kInt32}});
    }
    part.statement.sql = fmt::format("SELECT {} FROM ({}) AS whole", list, select_.statement.sql);
    return run_select(database_, part, narrower(limits_, options.limits), on_misfit_, options.reservation);
  }

 private:
  const std::shared_ptr<DatabaseConnection> database_;  // Shared by its tables.
  const engine::Select select_;
  const engine::RunLimits limits_;
  const OnMisfit on_misfit_;
};

// The rows of a table.
class ScanSource final : public engine::Source {
 public:
  ScanSource(std::shared_ptr<DatabaseConnection> database, const query::Table& table, plan::PhysicalPlan plan,
             bool is_ordered, engine::RunLimits limits)
      : database_(std::move(database)),
        layout_(table.layout),
        columns_(table.columns),
        plan_(std::move(plan)),
        is_ordered_(is_ordered),
        limits_(std::move(limits)) {}

  const std::vector<engine::Field>& columns() const override { return columns_; }

  engine::Database* database() const override { return &database_->database(); }

  Result<std::unique_ptr<engine::Rows>> read(const std::vector<std::size_t>& wanted,
                                             const engine::ReadOptions& options) override {
    const plan::Target target{
        .dialect = database_->database().dialect(), .layout = *layout_, .columns = columns_};
    const plan::ScanOptions rows{.filter = plan_ ? filter_of(*plan_) : nullptr, .is_ordered = is_ordered_};
    return run_select(database_, plan::scan_select(rows, target, wanted), narrower(limits_, options.limits),
                      {}, options.reservation);
  }

 private:
  const std::shared_ptr<DatabaseConnection> database_;       // Shared by its tables.
  const std::shared_ptr<const engine::TableLayout> layout_;  // Shared with the table.
  const expression::Columns columns_;
  const plan::PhysicalPlan plan_;  // Its filter leaves out rows. None: all are read.
  const bool is_ordered_;
  const engine::RunLimits limits_;
};

}  // namespace

TableDataset::TableDataset(Identity identity, engine::TableName table,
                           std::shared_ptr<DatabaseConnection> database,
                           std::shared_ptr<engine::Sources> sources)
    : Dataset(std::move(identity)),
      table_(std::move(table)),
      database_(std::move(database)),
      sources_(std::move(sources)) {}

Result<query::Table> TableDataset::inspect(const engine::RunLimits& limits) const {
  database_->look_now(limits);
  Result<engine::TableLayout> described = database_->database().describe(table_, limits);
  if (!described.ok()) return with_name(std::move(described).error(), *database_);
  engine::TableLayout layout = *std::move(described);
  if (layout.columns.empty()) {
    return unsupported("read dataset: its table has no columns: " + excerpt(name()))
        .with_code("unsupported_query")
        .with_hint("The catalog lists other datasets.");
  }
  query::Table table;
  table.row_number = "row_number() OVER ()";
  table.columns = visible_columns(layout);
  if (!database_->is_sqlite()) table.lifetime = kLayoutLifetime;
  table.layout = std::make_shared<const engine::TableLayout>(std::move(layout));
  return table;
}

Result<query::Table> TableDataset::inspect(engine::Engine& /*engine*/,
                                           const engine::RunLimits& limits) const {
  return inspect(limits);
}

// SQLite reads a table in the order of its rows anyway. To PostgreSQL an order is work, which is done for
// rows that are shown, numbered or limited, not for groups.
bool TableDataset::needs_order(const expression::Question* question) const {
  if (database_->is_sqlite()) return true;
  if (question == nullptr || question->is_grouped || question->is_order_free) return false;
  if (expression::never_grows(*question)) return true;
  if (question->sql.empty() || question->limit || question->offset > 0) return true;
  return query::depends_on_order(*question);
}

plan::Target TableDataset::target_of(const query::Table& table) const {
  return {.dialect = database_->database().dialect(), .layout = *table.layout, .columns = table.columns};
}

bool TableDataset::computes() const { return database_->spec().push_down == PushDown::kOn; }

Result<query::Relation> TableDataset::open(const query::Table& table, const engine::RunLimits& limits,
                                           const expression::Question* question) const {
  const plan::PhysicalPlan plan = plan_of(question);
  const plan::Target target = target_of(table);
  const bool may_answer = plan && !is_plain_read(*plan) && computes();
  std::optional<engine::Select> select = may_answer ? plan::fragment(plan, target) : std::nullopt;
  if (!select) {
    const bool is_filtered = database_->spec().push_down != PushDown::kOff;
    return offer(std::make_shared<ScanSource>(database_, table, is_filtered ? plan : plan::PhysicalPlan(),
                                              needs_order(question), limits));
  }
  log_answer(name(), *question);
  OnMisfit look;
  if (!names_columns(*select, *table.layout)) {
    std::vector<LookedAt> columns;
    for (const auto& [name, read] : plan::columns_read(*plan))
      columns.push_back(looked_at(*plan, name, table));
    look = look_later(database_, std::move(columns));
  }
  const auto source = std::make_shared<AnswerSource>(database_, *std::move(select), limits, std::move(look));
  query::Relation relation = offer(source);
  relation.answer = source;
  return relation;
}

query::Relation TableDataset::offer(std::shared_ptr<engine::Source> source) const {
  engine::Sources::Offer offered = sources_->offer(std::move(source));
  query::Relation relation;
  relation.sql = std::move(offered.sql);
  relation.lease = std::move(offered.lease);
  return relation;
}

std::optional<engine::Select> TableDataset::select_of(const std::vector<query::NamedTable>& tables,
                                                      const plan::PhysicalPlan& plan) const {
  if (!computes()) return std::nullopt;
  plan::Targets targets;
  for (const query::NamedTable& one : tables) {
    const auto* other = dynamic_cast<const TableDataset*>(one.dataset);
    if (other == nullptr || other->database_ != database_) return std::nullopt;
    targets.emplace(one.name, target_of(*one.table));
  }
  return plan::fragment(plan, targets);
}

Result<query::Relation> TableDataset::open_together(const std::vector<query::NamedTable>& tables,
                                                    const engine::RunLimits& limits,
                                                    const expression::Question& question) const {
  const plan::PhysicalPlan plan = plan_of(&question);
  std::optional<engine::Select> select =
      plan && !is_plain_read(*plan) ? select_of(tables, plan) : std::nullopt;
  if (!select) return query::Relation{};
  std::vector<LookedAt> columns;
  for (const query::NamedTable& one : tables) columns.push_back(looked_at(*plan, one.name, *one.table));
  const auto source = std::make_shared<AnswerSource>(database_, *std::move(select), limits,
                                                     look_later(database_, std::move(columns)));
  query::Relation relation = offer(source);
  relation.answer = source;
  return relation;
}

Result<std::optional<query::Relation>> TableDataset::open_few(const query::Table& table,
                                                              const query::FewRows& few,
                                                              const engine::RunLimits& limits) const {
  const plan::Target target = target_of(table);
  const plan::ScanOptions first{.filter = &few.filter, .is_ordered = false, .rows_max = few.rows_max + 1};
  Result<std::shared_ptr<engine::Source>> kept =
      keep_few(run_select(database_, plan::scan_select(first, target, few.columns), limits, {}), few);
  // The statement that follows meets the value again if it reads it.
  if (!kept.ok() && kept.error().kind == ErrorKind::kConflict) return std::optional<query::Relation>();
  if (!kept.ok()) return std::move(kept).error();
  if (*kept == nullptr) return std::optional<query::Relation>();
  auto whole = std::make_shared<ScanSource>(database_, table, nullptr, false, limits);
  return offer(std::make_shared<FewRowsSource>(*std::move(kept), few.columns, std::move(whole)));
}

Result<std::unique_ptr<engine::Rows>> TableDataset::read(const query::Table& table,
                                                         const expression::Question& question,
                                                         const engine::RunLimits& limits) const {
  const plan::PhysicalPlan plan = plan_of(&question);
  const plan::Target target = target_of(table);
  const std::optional<engine::Select> select =
      plan ? plan::fragment(plan, target, plan::Ties::kAnyOrder) : std::nullopt;
  if (!select) {
    return invalid_input("read rows: the database cannot order or filter by these columns")
        .with_code("invalid_column")
        .with_hint("Order by columns of numbers, texts or times.");
  }
  return run_select(database_, *select, limits, {});
}

bool TableDataset::announces_changes() const {
  return database_->is_sqlite() || !database_->spec().channel.empty();
}

Result<engine::PlanGuess> TableDataset::guess(const query::Table& table, const expression::Question& question,
                                              const engine::RunLimits& limits) const {
  const plan::Target target = target_of(table);
  const plan::PhysicalPlan plan = computes() ? plan_of(&question) : plan::PhysicalPlan();
  const std::optional<engine::Select> select = plan ? plan::fragment(plan, target) : std::nullopt;
  if (!select) return unsupported("guess the rows: the database does not answer this itself");
  return database_->database().explain(select->statement, limits);
}

Result<engine::PlanGuess> TableDataset::guess_together(const std::vector<query::NamedTable>& tables,
                                                       const expression::Question& question,
                                                       const engine::RunLimits& limits) const {
  const plan::PhysicalPlan plan = plan_of(&question);
  const std::optional<engine::Select> select = plan ? select_of(tables, plan) : std::nullopt;
  if (!select) return unsupported("guess the rows: the database does not answer this itself");
  return database_->database().explain(select->statement, limits);
}

std::optional<plan::Condition> TableDataset::source_filter(const query::Table& table,
                                                           const plan::Condition& filter) const {
  if (filter.kind == plan::Condition::Kind::kAlways || database_->spec().push_down == PushDown::kOff)
    return std::nullopt;
  return plan::pushable(filter, target_of(table));
}

std::string TableDataset::source_sql(const query::Table& table, const expression::Question& question,
                                     const std::vector<std::size_t>& columns) const {
  const plan::Target target = target_of(table);
  const plan::PhysicalPlan plan = plan_of(&question);
  const bool may_answer = plan && !is_plain_read(*plan) && computes();
  if (const auto select = may_answer ? plan::fragment(plan, target) : std::nullopt)
    return select->statement.sql;
  const bool is_filtered = plan && database_->spec().push_down != PushDown::kOff;
  const plan::ScanOptions rows{.filter = is_filtered ? filter_of(*plan) : nullptr,
                               .is_ordered = needs_order(&question)};
  return plan::scan_select(rows, target, columns).statement.sql;
}

bool TableDataset::is_current() const {
  if (!database_->is_sqlite()) return false;
  const Result<std::string> version =
      database_->database().version({.deadline = system_clock().now() + kVersionTime, .stop = {}});
  return version.ok() && identity().version == fmt::format("{}.{}", *version, database_->edition());
}

query::CountState TableDataset::count_state() const {
  const query::CountState known = Dataset::count_state();
  return known == query::CountState::kExact && !is_current() ? query::CountState::kEstimated : known;
}

void TableDataset::count_quickly(Monotonic deadline) const {
  if (count_state() != query::CountState::kPending) return;
  const engine::Select count{
      .statement = {.sql = "SELECT count(*) FROM " + engine::quote_name(table_.name), .parameters = {}},
      .columns = {{.name = "rows", .type = {.id = engine::TypeId::kInt64}}},
      .table = {}};
  const Result<std::unique_ptr<engine::Rows>> rows =
      database_->database().query(count, {.deadline = deadline, .stop = {}});
  if (!rows.ok()) return;
  const Result<const engine::Batch*> batch = (*rows)->next();
  if (!batch.ok() || *batch == nullptr) return;
  set_row_count(static_cast<std::uint64_t>((*batch)->columns[0].at<std::int64_t>(0)));
}

Result<std::string> TableDataset::read_beside(std::string_view /*suffix*/) const {
  return not_found("a table has no file beside it");
}

}  // namespace sluice::databases
