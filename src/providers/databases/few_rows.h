#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "sluice/engine/source.h"
#include "sluice/query/dataset.h"

namespace sluice::databases {

// Rows of a table that were read before the statement that uses them. Columns that were not read then are
// read from the table itself, which may have changed.
class FewRowsSource final : public engine::Source {
 public:
  // `kept` has the columns of `table` at `places`.
  FewRowsSource(std::shared_ptr<engine::Source> kept, std::vector<std::size_t> places,
                std::shared_ptr<engine::Source> table);

  const std::vector<engine::Field>& columns() const override { return table_->columns(); }
  Result<std::unique_ptr<engine::Rows>> read(const std::vector<std::size_t>& wanted,
                                             const engine::ReadOptions& options) override;

 private:
  const std::shared_ptr<engine::Source> kept_;  // Shared with its readers.
  const std::vector<std::size_t> places_;
  const std::shared_ptr<engine::Source> table_;  // Shared with its readers.
};

// Null if there are more rows than `few` allows. Fails as `rows` does.
Result<std::shared_ptr<engine::Source>> keep_few(Result<std::unique_ptr<engine::Rows>> rows,
                                                 const query::FewRows& few);

}  // namespace sluice::databases
