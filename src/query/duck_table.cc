#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"
#include "sluice/plan/engine_sql.h"
#include "sluice/query/duck_files.h"
#include "sluice/query/statement.h"

#include "columns.h"

namespace sluice::query {

namespace {

using engine::quote_name;

// The rows of a statement of the file's engine. The file stays open while they are read.
class OpenedRows final : public engine::Rows {
 public:
  OpenedRows(std::shared_ptr<DuckFiles::Opened> opened, std::unique_ptr<engine::Rows> rows)
      : opened_(std::move(opened)), rows_(std::move(rows)) {}
  const std::vector<engine::Field>& columns() const override { return rows_->columns(); }
  Result<const engine::Batch*> next() override { return rows_->next(); }

 private:
  const std::shared_ptr<DuckFiles::Opened> opened_;
  const std::unique_ptr<engine::Rows> rows_;  // Ends before the file is closed.
};

// What a statement of the file's engine gives. It is run for each read.
class DuckSource final : public engine::Source {
 public:
  DuckSource(std::shared_ptr<DuckFiles::Opened> opened, engine::Statement statement,
             std::vector<engine::Field> columns)
      : opened_(std::move(opened)), statement_(std::move(statement)), columns_(std::move(columns)) {}

  const std::vector<engine::Field>& columns() const override { return columns_; }

  Result<std::unique_ptr<engine::Rows>> read(const std::vector<std::size_t>& wanted,
                                             const engine::ReadOptions& options) override {
    engine::Statement statement = statement_;
    if (wanted.size() == columns_.size() && std::is_sorted(wanted.begin(), wanted.end()))
      return run(statement, options.limits);
    std::string list;
    for (const std::size_t i : wanted)
      list += fmt::format("{}answer.c{} AS c{}", list.empty() ? "" : ", ", i, i);
    std::string names;
    for (std::size_t i = 0; i < columns_.size(); ++i) names += fmt::format("{}c{}", i == 0 ? "" : ", ", i);
    statement.sql =
        fmt::format("SELECT {} FROM ({}) AS answer({})", list.empty() ? "1" : list, statement.sql, names);
    return run(statement, options.limits);
  }

 private:
  Result<std::unique_ptr<engine::Rows>> run(const engine::Statement& statement,
                                            const engine::RunLimits& limits) {
    SLUICE_TRY(std::unique_ptr<engine::Rows> rows, DuckFiles::engine_of(*opened_).query(statement, limits));
    return std::unique_ptr<engine::Rows>(std::make_unique<OpenedRows>(opened_, std::move(rows)));
  }

  const std::shared_ptr<DuckFiles::Opened> opened_;
  const engine::Statement statement_;
  const std::vector<engine::Field> columns_;
};

class DuckTable final : public Dataset {
 public:
  DuckTable(Identity identity, std::shared_ptr<const fs::Root> root, std::shared_ptr<DuckFiles> files,
            DuckTableName table)
      : Dataset(std::move(identity)),
        root_(std::move(root)),
        files_(std::move(files)),
        table_(std::move(table)),
        log_version_(duck_log_version(*root_, this->identity().path)) {}

  Result<Table> inspect(engine::Engine& /*engine*/, const engine::RunLimits& limits) const override {
    SLUICE_TRY(const std::shared_ptr<DuckFiles::Opened> opened, open_file(limits));
    if (table_.table.empty()) {
      return conflict("read dataset: the tables of the file are being listed: " + excerpt(name()))
          .with_code("dataset_changed")
          .with_hint("Ask again in a moment; the catalog lists what there is now.");
    }
    engine::Engine& engine = DuckFiles::engine_of(*opened);
    SLUICE_TRY(const engine::Description described,
               engine.describe({.sql = "SELECT * FROM " + stored_name(), .parameters = {}}, limits));
    Table table;
    table.row_number = "row_number() OVER ()";
    // What the rows of a source cannot hold is text, and names can be seen.
    for (const engine::Field& column : described.columns) {
      engine::Field visible{.name = encode_controls(column.name), .type = column.type};
      while (has_column(table.columns, visible.name)) visible.name += '_';
      const bool is_text = !engine::is_readable(column.type);
      if (is_text) visible.type = {.id = engine::TypeId::kText};
      table.columns_sql += fmt::format(
          "{}{} AS {}", table.columns_sql.empty() ? "" : ", ",
          is_text ? fmt::format("CAST({} AS VARCHAR)", quote_name(column.name)) : quote_name(column.name),
          quote_name(visible.name));
      table.columns.push_back(std::move(visible));
    }
    return table;
  }

  Result<Relation> open(const Table& table, const engine::RunLimits& limits,
                        const expression::Question* question) const override {
    SLUICE_TRY(std::shared_ptr<DuckFiles::Opened> opened, open_file(limits));
    if (question != nullptr && !question->sql.empty()) {
      Relation local;
      local.sql = rows_sql(table);
      SLUICE_TRY(Relation answered, answer(opened, *question, table, local, limits));
      if (answered.answer) return answered;
    }
    engine::Statement statement;
    std::string filter;
    if (question != nullptr && question->plan) filter = filter_sql(*question->plan, table, statement);
    statement.sql = fmt::format("SELECT {} FROM {}{}", names_sql(table.columns), rows_sql(table), filter);
    return offer(std::make_shared<DuckSource>(std::move(opened), std::move(statement), table.columns));
  }

  Result<Relation> open_together(const std::vector<NamedTable>& tables, const engine::RunLimits& limits,
                                 const expression::Question& question) const override {
    if (question.sql.empty()) return Relation{};  // The rows of the tables are wanted.
    Relation local;
    for (const NamedTable& one : tables) {
      const auto* other = dynamic_cast<const DuckTable*>(one.dataset);
      const bool is_here = other != nullptr && other->files_ == files_ && other->root_ == root_ &&
                           other->identity().path == identity().path;
      if (!is_here) return Relation{};
      local.tables += fmt::format("{}{} AS (SELECT {} FROM {})", local.tables.empty() ? "" : ", ", one.name,
                                  names_sql(one.table->columns), other->rows_sql(*one.table));
    }
    SLUICE_TRY(std::shared_ptr<DuckFiles::Opened> opened, open_file(limits));
    return answer(opened, question, Table{}, local, limits);
  }

  bool is_current() const override {
    const Result<fs::Entry> entry = root_->stat(identity().path);
    return entry.ok() && entry->bytes == identity().bytes && entry->modified == identity().modified &&
           duck_log_version(*root_, identity().path) == log_version_;
  }

  Result<std::string> read_beside(std::string_view /*suffix*/) const override {
    return not_found("a table of a DuckDB file has no file beside it");
  }

 private:
  Result<std::shared_ptr<DuckFiles::Opened>> open_file(const engine::RunLimits& limits) const {
    return files_->open(*root_, identity().path, limits);
  }

  std::string stored_name() const {
    return fmt::format("file.{}.{}", quote_name(table_.schema), quote_name(table_.table));
  }
  std::string rows_sql(const Table& table) const {
    return fmt::format("(SELECT {} FROM {})", table.columns_sql, stored_name());
  }

  // The conditions on the table itself, behind WHERE; empty where there are none.
  static std::string filter_sql(const plan::Node& plan, const Table& table, engine::Statement& statement) {
    const auto* filter = std::get_if<plan::Filter>(&plan.op);
    if (filter == nullptr || !std::holds_alternative<plan::Scan>(filter->input->op)) return "";
    return " WHERE " + plan::engine_condition(filter->condition, table.columns, statement.parameters);
  }

  // One row more than the limit tells that there are more.
  Result<Relation> answer(const std::shared_ptr<DuckFiles::Opened>& opened,
                          const expression::Question& question, const Table& table, const Relation& local,
                          const engine::RunLimits& limits) const {
    std::optional<std::uint64_t> limit = question.limit;
    if (limit && *limit < UINT64_MAX) ++*limit;
    engine::Statement statement = statement_of(question, table, local, limit);
    SLUICE_TRY(engine::Description described, DuckFiles::engine_of(*opened).describe(statement, limits));
    const bool is_readable =
        std::all_of(described.columns.begin(), described.columns.end(),
                    [](const engine::Field& column) { return engine::is_readable(column.type); });
    if (!is_readable) return Relation{};
    auto source = std::make_shared<DuckSource>(opened, std::move(statement), std::move(described.columns));
    Relation relation = offer(source);
    relation.answer = std::move(source);
    return relation;
  }

  Relation offer(std::shared_ptr<engine::Source> source) const {
    engine::Sources::Offer offered = files_->sources()->offer(std::move(source));
    Relation relation;
    relation.sql = std::move(offered.sql);
    relation.lease = std::move(offered.lease);
    return relation;
  }

  const std::shared_ptr<const fs::Root> root_;  // Shared by the datasets of the folder.
  const std::shared_ptr<DuckFiles> files_;      // Shared by all datasets.
  const DuckTableName table_;
  const std::string log_version_;
};

}  // namespace

bool is_duck_table(const Dataset& dataset) { return dynamic_cast<const DuckTable*>(&dataset) != nullptr; }

DatasetPtr make_duck_table(Dataset::Identity identity, std::shared_ptr<const fs::Root> root,
                           std::shared_ptr<DuckFiles> files, DuckTableName table) {
  return std::make_shared<const DuckTable>(std::move(identity), std::move(root), std::move(files),
                                           std::move(table));
}

}  // namespace sluice::query
