#include "plan_bench.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "sluice/engine/duckdb.h"
#include "sluice/engine/postgres.h"
#include "sluice/plan/engine_sql.h"
#include "sluice/query/functions.h"
#include "sluice/render/cell.h"

#include "postgres_server.h"
#include "sqlite_file.h"

namespace sluice::plan::testing {

namespace {

using engine::Field;
using engine::quote_name;
using engine::Select;
using engine::Statement;
using testing_support::PostgresServer;

constexpr int kLooksMax = 12;  // Each widens the type of a column.

// One server of a version for the whole program.
PostgresServer& postgres(Server version) {
  static std::unique_ptr<PostgresServer> servers[2];
  std::unique_ptr<PostgresServer>& server = servers[version == Server::kPostgres15 ? 0 : 1];
  if (!server) server = std::make_unique<PostgresServer>(static_cast<int>(version), SLUICE_REPOSITORY);
  return *server;
}

// Makes the database of a test: those of earlier tests stay.
std::string fresh_postgres(PostgresServer& server) {
  static std::set<const PostgresServer*> prepared;
  if (prepared.insert(&server).second) server.run("CREATE ROLE reader LOGIN PASSWORD 'reader-secret'");
  server.run(
      "DROP SCHEMA public CASCADE; CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO reader; "
      "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO reader");
  server.run(postgres_preparation());
  return server.url("reader", "reader-secret");
}

Result<Answer> read(Result<std::unique_ptr<engine::Rows>> rows) {
  if (!rows.ok()) return std::move(rows).error();
  Answer out;
  for (const Field& column : (*rows)->columns())
    out.columns.push_back(column.name + " " + engine::sql_name(column.type));
  while (true) {
    SLUICE_TRY(const engine::Batch* batch, (*rows)->next());
    if (batch == nullptr) return out;
    for (std::size_t row = 0; row < batch->rows; ++row) {
      std::vector<std::string>& cells = out.rows.emplace_back();
      for (const engine::Column& column : batch->columns)
        render::append_json(cells.emplace_back(), column, row);
    }
  }
}

class SelectSource final : public engine::Source {
 public:
  SelectSource(engine::Database& database, Select select) : database_(database), select_(std::move(select)) {}

  const std::vector<Field>& columns() const override { return select_.columns; }
  engine::Database* database() const override { return &database_; }
  Result<std::unique_ptr<engine::Rows>> read(const std::vector<std::size_t>& wanted,
                                             const engine::ReadOptions& options) override {
    Select part = select_;
    part.columns.clear();
    std::string list;
    for (const std::size_t i : wanted) {
      list += (list.empty() ? "" : ", ") + quote_name(select_.columns[i].name);
      part.columns.push_back(select_.columns[i]);
    }
    if (wanted.size() == select_.columns.size() && std::is_sorted(wanted.begin(), wanted.end()))
      return database_.query(select_, options.limits, options.reservation);
    return internal_error("the statement must read all columns: " + list);
  }

 private:
  engine::Database& database_;
  const Select select_;
};

std::string names_sql(const Columns& columns) {
  std::string out;
  for (const Field& column : columns) (out += out.empty() ? "" : ", ") += quote_name(column.name);
  return out;
}

std::vector<std::size_t> all_of_columns(const Columns& columns) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < columns.size(); ++i) out.push_back(i);
  return out;
}

std::string rows_text(const TextRows& rows) {
  constexpr std::size_t kShown = 8;
  std::string out;
  for (std::size_t i = 0; i < std::min(rows.size(), kShown); ++i)
    out += fmt::format("    {}\n", fmt::join(rows[i], " | "));
  return rows.size() > kShown ? out + fmt::format("    and {} more\n", rows.size() - kShown) : out;
}

// The rows of `left` that `right` does not have, or has fewer times.
TextRows missing(TextRows left, TextRows right) {
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  TextRows out;
  std::set_difference(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(out));
  return out;
}

}  // namespace

struct PlanBench::Files {
  engine::SqliteFile sqlite;
};

PlanBench::PlanBench(Server server) : server_(server), files_(std::make_unique<Files>()) {
  if (server == Server::kSqlite) {
    database_ = files_->sqlite.database({.functions = query::engine_functions()});
  } else {
    engine::PostgresOptions options{.url = fresh_postgres(postgres(server))};
    database_ = std::move(engine::open_postgres(options)).value();
  }
  // One thread keeps rows in their order.
  engine_ = std::move(engine::open_duckdb(
                          {.threads = 1, .functions = query::engine_functions(), .sources = sources_}))
                .value();
}

PlanBench::~PlanBench() = default;

std::vector<SampleColumn> PlanBench::samples() const {
  return server_ == Server::kSqlite ? sqlite_samples() : postgres_samples();
}

void PlanBench::run(const std::string& sql) {
  if (server_ == Server::kSqlite) return files_->sqlite.run(sql);
  postgres(server_).run(sql);
}

LoadedTable PlanBench::describe(const std::string& name) {
  LoadedTable out;
  const std::string schema = server_ == Server::kSqlite ? "" : "public";
  Result<engine::TableLayout> layout = database_->describe({.schema = schema, .name = name}, {});
  if (!layout.ok()) throw std::runtime_error(layout.error().message);
  out.layout = *std::move(layout);
  for (std::size_t i = 0; i < out.layout.columns.size(); ++i) {
    const engine::TableColumn& column = out.layout.columns[i];
    out.columns.push_back({.name = column.name + (i % 3 == 2 ? "_seen" : ""), .type = column.type});
  }
  return out;
}

LoadedTable PlanBench::load(const std::string& name) {
  for (int look = 0; look < kLooksMax; ++look) {
    LoadedTable out = describe(name);
    out.engine_table = fmt::format("t{}", ++tables_);
    Select select = scan_select({.filter = nullptr, .is_ordered = true}, out.target(dialect()),
                                all_of_columns(out.columns));
    select.columns = out.columns;
    const engine::Sources::Offer offer = sources_->offer(std::make_shared<SelectSource>(*database_, select));
    const Result<std::uint64_t> copied = engine_->execute(
        {.sql = fmt::format("CREATE TABLE {} AS SELECT {}, row_number() OVER () AS {} FROM {}",
                            out.engine_table, names_sql(out.columns), row_column(out.columns), offer.sql),
         .parameters = {}},
        {});
    if (copied.ok()) return out;
    if (copied.error().code != "column_type_changed") throw std::runtime_error(copied.error().message);
    // The database remembers columns by its own names.
    select.columns.clear();
    for (const engine::TableColumn& column : out.layout.columns)
      select.columns.push_back({.name = column.name, .type = column.type});
    (void)in_database(select);
  }
  throw std::runtime_error("the types of a table do not settle: " + name);
}

Result<Answer> PlanBench::in_database(const Select& select) const {
  return read(database_->query(select, {}));
}

Statement limited_sql(const Node& plan) {
  Statement out = engine_sql(runnable(plan));
  const auto* limit = std::get_if<Limit>(&plan.op);
  if (limit == nullptr) return out;
  if (limit->rows && *limit->rows < INT64_MAX) out.sql += fmt::format(" LIMIT {}", *limit->rows);
  if (limit->offset > 0) out.sql += fmt::format(" OFFSET {}", limit->offset);
  return out;
}

Result<Answer> PlanBench::in_engine(const Node& plan, const LoadedTable& table) const {
  return in_engine(limited_sql(plan), table);
}

Result<Answer> PlanBench::in_engine(Statement statement, const LoadedTable& table) const {
  statement.sql =
      fmt::format("WITH data AS (SELECT {} FROM {}), numbered AS (SELECT * FROM {}) {}",
                  names_sql(table.columns), table.engine_table, table.engine_table, statement.sql);
  return read(engine_->query(statement, {}));
}

Result<Answer> PlanBench::in_engine(const Node& plan,
                                    const std::map<std::string, const LoadedTable*>& tables) const {
  Statement statement = limited_sql(plan);
  std::string with;
  for (const auto& [name, table] : tables) {
    with += fmt::format("{}{} AS (SELECT {} FROM {})", with.empty() ? "WITH " : ", ", name,
                        names_sql(table->columns), table->engine_table);
  }
  statement.sql = with + " " + statement.sql;
  return read(engine_->query(statement, {}));
}

Result<Answer> PlanBench::in_engine(Statement statement, const Select& rows) const {
  const engine::Sources::Offer offer = sources_->offer(std::make_shared<SelectSource>(*database_, rows));
  statement.sql = fmt::format("WITH data AS (SELECT * FROM {}) {}", offer.sql, statement.sql);
  return read(engine_->query(statement, {}));
}

Result<Answer> PlanBench::in_engine(const std::string& sql) const {
  return read(engine_->query({.sql = sql}, {}));
}

std::string to_text(const Statement& statement) {
  std::string out = statement.sql;
  for (const engine::Parameter& parameter : statement.parameters) {
    out += out.size() == statement.sql.size() ? "\n    with " : ", ";
    out += std::visit(
        [](const auto& value) -> std::string {
          using Value = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<Value, std::monostate>) {
            return "null";
          } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
            return fmt::format("[{}]", fmt::join(value, ", "));
          } else if constexpr (std::is_same_v<Value, std::string>) {
            return engine::quote_text(value);
          } else {
            return fmt::format("{}", value);
          }
        },
        parameter);
  }
  return out;
}

namespace {

bool are_near(const std::string& left, const std::string& right) {
  constexpr double kRelative = 1e-9;
  double a = 0;
  double b = 0;
  const auto first = std::from_chars(left.data(), left.data() + left.size(), a);
  const auto second = std::from_chars(right.data(), right.data() + right.size(), b);
  if (first.ptr != left.data() + left.size() || second.ptr != right.data() + right.size()) return false;
  return std::fabs(a - b) <= kRelative * std::max(std::fabs(a), std::fabs(b));
}

}  // namespace

bool are_equal(const TextRows& left, const TextRows& right, const std::set<std::size_t>& inexact) {
  if (inexact.empty() || left.size() != right.size()) return left == right;
  for (std::size_t row = 0; row < left.size(); ++row) {
    if (left[row].size() != right[row].size()) return false;
    for (std::size_t i = 0; i < left[row].size(); ++i) {
      if (left[row][i] == right[row][i]) continue;
      if (!inexact.contains(i) || !are_near(left[row][i], right[row][i])) return false;
    }
  }
  return true;
}

std::set<std::size_t> inexact_columns(const Node& plan) {
  const Node* at = &plan;
  const Project* project = nullptr;
  while (at != nullptr && !std::holds_alternative<Aggregate>(at->op)) {
    if (const auto* found = std::get_if<Project>(&at->op)) project = found;
    at = input_of(*at);
  }
  std::set<std::size_t> out;
  if (at == nullptr) return out;
  const auto& aggregate = std::get<Aggregate>(at->op);
  const std::size_t keys = aggregate.keys.size();
  std::set<std::size_t> calls;
  for (std::size_t i = 0; i < aggregate.calls.size(); ++i) {
    const AggregateCall& call = aggregate.calls[i];
    const bool adds = call.function == AggregateFunction::kSum ||
                      call.function == AggregateFunction::kSumOrZero ||
                      call.function == AggregateFunction::kAvg;
    if (adds && aggregate.input->columns[call.column].type.id == engine::TypeId::kDouble)
      calls.insert(keys + i);
  }
  if (project == nullptr) return calls;
  for (std::size_t i = 0; i < project->columns.size(); ++i) {
    if (calls.contains(project->columns[i])) out.insert(i);
  }
  return out;
}

bool is_plain(const Node& plan) {
  for (const Node* at = &plan; at != nullptr; at = input_of(*at)) {
    if (std::holds_alternative<Aggregate>(at->op) || std::holds_alternative<Distinct>(at->op)) return false;
  }
  return true;
}

void forget_signs_of_zeros(Answer& answer) {
  for (std::size_t i = 0; i < answer.columns.size(); ++i) {
    const bool is_float = answer.columns[i].ends_with(" FLOAT") || answer.columns[i].ends_with(" DOUBLE");
    if (!is_float) continue;
    for (std::vector<std::string>& row : answer.rows) {
      if (row[i] == "-0" || row[i] == "-0.0") row[i].erase(0, 1);
    }
  }
}

std::string difference(const Node& plan, const Statement& theirs, const Statement& ours,
                       const Answer& database, const Answer& engine) {
  return fmt::format(
      "plan: {}\n  database: {}\n  engine: {}\n  columns of the database: {}\n  columns of the engine: {}\n"
      "  {} rows of the database, {} of the engine\n  only the database has:\n{}  only the engine has:\n{}",
      to_json(plan), to_text(theirs), to_text(ours), fmt::join(database.columns, ", "),
      fmt::join(engine.columns, ", "), database.rows.size(), engine.rows.size(),
      rows_text(missing(database.rows, engine.rows)), rows_text(missing(engine.rows, database.rows)));
}

}  // namespace sluice::plan::testing
