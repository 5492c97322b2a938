#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/query/dataset.h"
#include "sluice/query/key_push.h"
#include "sluice/query/statement_part.h"

namespace sluice::query {

// The tables of one statement, each by the name that the statement gives it, as what its question is asked
// about. It belongs to the call that asks.
class StatementDataset final : public Dataset {
 public:
  using Part = StatementPart;

  // `fallback` is the collection of a statement that reads no table.
  StatementDataset(std::vector<Part> parts, const std::shared_ptr<const Collection>& fallback,
                   KeyPush push = {});

  const std::vector<Part>& parts() const { return parts_; }
  // Whether the source of all tables, a database, computes the question as a whole.
  bool is_answered_at_source(const expression::Question& question) const;
  const KeyPush& key_push() const { return push_; }

  Result<Table> inspect(engine::Engine& engine, const engine::RunLimits& limits) const override;
  Result<Relation> open(const Table& table, const engine::RunLimits& limits,
                        const expression::Question* question) const override;
  Result<engine::PlanGuess> guess(const Table& table, const expression::Question& question,
                                  const engine::RunLimits& limits) const override;
  json::Object lineage(const expression::Question& question) const override;
  bool is_current() const override;
  Result<std::string> read_beside(std::string_view suffix) const override;

 private:
  std::vector<NamedTable> tables() const;

  const std::vector<Part> parts_;
  const KeyPush push_;
};

}  // namespace sluice::query
