#include "table_dataset.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "push_down.h"

namespace sluice::databases {

namespace {

// PostgreSQL does not tell when a table gets another column.
constexpr std::chrono::seconds kLayoutLifetime{60};
constexpr std::chrono::milliseconds kVersionTime{50};

// The statements are made of what is known of the table: one that the database does not understand is about
// another table than there is now.
Error learn(Error error, Connected& database) {
  if (error.code == "invalid_query") {
    error = conflict("read dataset: its table has changed since it was looked at")
                .with_code("dataset_changed")
                .with_hint("Ask again in a moment. get_catalog lists what there is now.");
  }
  if (error.kind == ErrorKind::kConflict) database.outdate();
  return error;
}

// Tells the database's owner when a value refutes what was thought of its column.
class LearningRows final : public engine::Rows {
 public:
  LearningRows(std::unique_ptr<engine::Rows> rows, std::shared_ptr<Connected> database)
      : rows_(std::move(rows)), database_(std::move(database)) {}

  const std::vector<engine::Field>& columns() const override { return rows_->columns(); }
  Result<const engine::Batch*> next() override {
    Result<const engine::Batch*> batch = rows_->next();
    if (!batch.ok()) return learn(std::move(batch).error(), *database_);
    return batch;
  }

 private:
  std::unique_ptr<engine::Rows> rows_;
  const std::shared_ptr<Connected> database_;  // Shared by its tables.
};

Result<std::unique_ptr<engine::Rows>> run(const std::shared_ptr<Connected>& database,
                                          const engine::Select& select, const engine::RunLimits& limits) {
  Result<std::unique_ptr<engine::Rows>> rows = database->database().query(select, limits);
  if (!rows.ok()) return learn(std::move(rows).error(), *database);
  return std::unique_ptr<engine::Rows>(std::make_unique<LearningRows>(*std::move(rows), database));
}

// How the question was asked, where that is still what it is.
std::optional<expression::Knobs> knobs_of(const expression::Question* question) {
  if (question == nullptr || !question->asked || question->asked->sql != question->sql) return std::nullopt;
  expression::Knobs knobs = question->asked->knobs;
  knobs.limit = question->limit;
  knobs.offset = question->offset;
  return knobs;
}

// The answer to a question, as the database gives it.
class AnswerSource final : public engine::Source {
 public:
  AnswerSource(std::shared_ptr<Connected> database, engine::Select select, engine::RunLimits limits)
      : database_(std::move(database)), select_(std::move(select)), limits_(std::move(limits)) {}

  const std::vector<engine::Field>& columns() const override { return select_.columns; }

  Result<std::unique_ptr<engine::Rows>> read(const std::vector<std::size_t>& wanted) override {
    if (wanted.size() == select_.columns.size() && std::is_sorted(wanted.begin(), wanted.end()))
      return run(database_, select_, limits_);
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
    return run(database_, part, limits_);
  }

 private:
  const std::shared_ptr<Connected> database_;  // Shared by its tables.
  const engine::Select select_;
  const engine::RunLimits limits_;
};

// The rows of a table.
class ScanSource final : public engine::Source {
 public:
  ScanSource(std::shared_ptr<Connected> database, const query::Table& table,
             std::optional<expression::Knobs> knobs, engine::RunLimits limits)
      : database_(std::move(database)),
        layout_(table.layout),
        columns_(table.columns),
        knobs_(std::move(knobs)),
        limits_(std::move(limits)) {}

  const std::vector<engine::Field>& columns() const override { return columns_; }

  Result<std::unique_ptr<engine::Rows>> read(const std::vector<std::size_t>& wanted) override {
    const Target target{.dialect = database_->database().dialect(), .layout = *layout_, .columns = columns_};
    return run(database_, scan(knobs_ ? &*knobs_ : nullptr, target, wanted), limits_);
  }

 private:
  const std::shared_ptr<Connected> database_;                // Shared by its tables.
  const std::shared_ptr<const engine::TableLayout> layout_;  // Shared with the table.
  const expression::Columns columns_;
  const std::optional<expression::Knobs> knobs_;
  const engine::RunLimits limits_;
};

}  // namespace

TableDataset::TableDataset(Identity identity, engine::TableName table, std::shared_ptr<Connected> database,
                           std::shared_ptr<engine::Sources> sources)
    : Dataset(std::move(identity)),
      table_(std::move(table)),
      database_(std::move(database)),
      sources_(std::move(sources)) {}

Result<query::Table> TableDataset::inspect(const engine::RunLimits& limits) const {
  SLUICE_TRY(engine::TableLayout layout, database_->database().describe(table_, limits));
  if (layout.columns.empty()) {
    return unsupported("read dataset: its table has no columns: " + excerpt(name()))
        .with_code("unsupported_query")
        .with_hint("get_catalog lists other datasets.");
  }
  query::Table table;
  table.row_number = "row_number() OVER ()";
  for (const engine::TableColumn& column : layout.columns) {
    std::string visible = encode_controls(column.name);
    const auto is_taken = [&] {
      return std::any_of(table.columns.begin(), table.columns.end(),
                         [&](const engine::Field& other) { return other.name == visible; });
    };
    while (is_taken()) visible += '_';
    table.columns.push_back({.name = std::move(visible), .type = column.type});
  }
  if (!database_->is_sqlite()) table.lifetime = kLayoutLifetime;
  table.layout = std::make_shared<const engine::TableLayout>(std::move(layout));
  return table;
}

Result<query::Table> TableDataset::inspect(engine::Engine& /*engine*/,
                                           const engine::RunLimits& limits) const {
  return inspect(limits);
}

Result<query::Relation> TableDataset::open(const query::Table& table, const engine::RunLimits& limits,
                                           const expression::Question* question) const {
  const std::optional<expression::Knobs> knobs = knobs_of(question);
  const Target target{
      .dialect = database_->database().dialect(), .layout = *table.layout, .columns = table.columns};
  query::Relation relation;
  std::shared_ptr<engine::Source> source;
  if (std::optional<engine::Select> select = knobs ? push_down(*knobs, target) : std::nullopt) {
    source = std::make_shared<AnswerSource>(database_, *std::move(select), limits);
    relation.answer = source;
  } else {
    source = std::make_shared<ScanSource>(database_, table, knobs, limits);
  }
  engine::Sources::Offer offer = sources_->offer(std::move(source));
  relation.sql = std::move(offer.sql);
  relation.lease = std::move(offer.lease);
  return relation;
}

Result<engine::PlanGuess> TableDataset::guess(const query::Table& table, const expression::Question& question,
                                              const engine::RunLimits& limits) const {
  const Target target{
      .dialect = database_->database().dialect(), .layout = *table.layout, .columns = table.columns};
  const std::optional<expression::Knobs> knobs = knobs_of(&question);
  const std::optional<engine::Select> select = knobs ? push_down(*knobs, target) : std::nullopt;
  if (!select) return unsupported("guess the rows: the database does not answer this itself");
  return database_->database().explain(select->statement, limits);
}

bool TableDataset::is_current() const {
  if (!database_->is_sqlite()) return false;
  const Result<std::string> version =
      database_->database().version({.deadline = system_clock().now() + kVersionTime, .stop = {}});
  return version.ok() && identity().version == fmt::format("{}.{}", *version, database_->edition());
}

Result<std::string> TableDataset::read_beside(std::string_view /*suffix*/) const {
  return not_found("a table has no file beside it");
}

}  // namespace sluice::databases
