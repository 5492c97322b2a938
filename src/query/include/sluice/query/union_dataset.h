#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sluice/query/dataset.h"

namespace sluice::query {

// Several datasets as one: their rows one after the other, columns matched by name, with a first column
// `dataset` and one for each dimension they share. A column that a dataset lacks is null there. It belongs to
// the call that asks.
class UnionDataset final : public Dataset {
 public:
  struct Part {
    DatasetPtr dataset;
    std::shared_ptr<const Table> table;  // Shared with the store of tables.
  };

  // At least one part.
  explicit UnionDataset(std::vector<Part> parts);

  Result<Table> inspect(engine::Engine& engine, const engine::RunLimits& limits) const override;
  Result<Relation> open(const Table& table, const engine::RunLimits& limits,
                        const expression::Question* question) const override;
  bool is_current() const override;
  Result<std::string> read_beside(std::string_view suffix) const override;

 private:
  const std::vector<Part> parts_;
};

}  // namespace sluice::query
