#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "sluice/plan/fragment.h"
#include "sluice/query/dataset.h"

#include "database_connection.h"

namespace sluice::databases {

// A table or view of a database. What the database can answer itself it is asked; the rest the engine answers
// over the rows that the database streams.
class TableDataset final : public query::Dataset {
 public:
  TableDataset(Identity identity, engine::TableName table, std::shared_ptr<DatabaseConnection> database,
               std::shared_ptr<engine::Sources> sources);

  Result<query::Table> inspect(engine::Engine& engine, const engine::RunLimits& limits) const override;
  Result<query::Relation> open(const query::Table& table, const engine::RunLimits& limits,
                               const expression::Question* question) const override;
  Result<query::Relation> open_together(const std::vector<query::NamedTable>& tables,
                                        const engine::RunLimits& limits,
                                        const expression::Question& question) const override;
  Result<engine::PlanGuess> guess(const query::Table& table, const expression::Question& question,
                                  const engine::RunLimits& limits) const override;
  Result<engine::PlanGuess> guess_together(const std::vector<query::NamedTable>& tables,
                                           const expression::Question& question,
                                           const engine::RunLimits& limits) const override;
  std::optional<plan::Condition> source_filter(const query::Table& table,
                                               const plan::Condition& filter) const override;
  std::vector<const engine::Database*> databases() const override { return {&database_->database()}; }
  Result<std::optional<query::Relation>> open_few(const query::Table& table, const query::FewRows& few,
                                                  const engine::RunLimits& limits) const override;
  std::string source_sql(const query::Table& table, const expression::Question& question,
                         const std::vector<std::size_t>& columns) const override;
  bool is_current() const override;
  // Looks at the file: a count of SQLite is exact only as long as nobody has written to it.
  query::CountState count_state() const override;
  void count_quickly(Monotonic deadline) const override;
  Result<std::string> read_beside(std::string_view suffix) const override;

  // The rows of a plain question: columns, filters, order, limit and offset. One row more than the limit
  // tells that there are more. Rows that the order does not tell apart come in any order if the table has no
  // key.
  Result<std::unique_ptr<engine::Rows>> read(const query::Table& table, const expression::Question& question,
                                             const engine::RunLimits& limits) const;
  // Whether subscribers hear of changed rows: of PostgreSQL only if a channel is configured.
  bool announces_changes() const;

  const engine::TableName& table() const { return table_; }
  std::chrono::milliseconds ttl() const { return database_->spec().ttl; }  // Of what clients have read.
  Result<query::Table> inspect(const engine::RunLimits& limits) const;

 private:
  // The SELECT for a plan over tables of this database; nullopt if the database does not compute it.
  std::optional<engine::Select> select_of(const std::vector<query::NamedTable>& tables,
                                          const plan::PhysicalPlan& plan) const;
  plan::Target target_of(const query::Table& table) const;  // `table` must outlive it.
  bool computes() const;                                    // More than filters.
  query::Relation offer(std::shared_ptr<engine::Source> source) const;
  bool needs_order(const expression::Question* question) const;

  const engine::TableName table_;
  const std::shared_ptr<DatabaseConnection> database_;  // Shared by its tables.
  const std::shared_ptr<engine::Sources> sources_;      // Shared with the engine.
};

}  // namespace sluice::databases
