#pragma once

#include <memory>
#include <string>

#include "sluice/query/dataset.h"
#include "sluice/query/snapshot.h"

namespace sluice::query {

// A result that was kept, as a table of further questions. Its rows come in the order that they were written
// in.
class SnapshotDataset final : public Dataset {
 public:
  SnapshotDataset(std::string name, SnapshotPtr snapshot, std::shared_ptr<const Collection> collection);

  Result<Table> inspect(engine::Engine& engine, const engine::RunLimits& limits) const override;
  Result<Relation> open(const Table& table, const engine::RunLimits& limits,
                        const expression::Question* question) const override;
  bool is_current() const override { return true; }
  Result<std::string> read_beside(std::string_view suffix) const override;

 private:
  const SnapshotPtr snapshot_;  // Shared: its file stays open while it is read, evicted or not.
};

}  // namespace sluice::query
