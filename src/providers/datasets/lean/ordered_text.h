#pragma once

#include <map>
#include <string>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/query/statement_dataset.h"

#include "dataset_tools.h"

namespace sluice::datasets::lean {

// The one table that has a column of text of this name; null: none, or several.
const query::StatementPart* table_with_text(const std::vector<query::StatementPart>& tables,
                                            std::string_view column);

// Notes on statements that sort or compare text which holds dates or numbers. What was found is remembered
// for each version of a table. Any thread.
class OrderedText {
 public:
  // A line for each such column, with the expression that reads it; at most two. Waits a short time for the
  // first rows of the tables.
  std::string notes(const expression::Question& question, const std::vector<query::StatementPart>& tables,
                    const std::shared_ptr<engine::Engine>& engine, const engine::RunLimits& limits);

 private:
  std::string pitfall_of(const query::StatementPart& table, const engine::Field& column,
                         const std::shared_ptr<engine::Engine>& engine, const engine::RunLimits& limits);

  Mutex mutex_;
  // By table, version and column.
  std::map<std::string, std::string, std::less<>> pitfalls_ SLUICE_GUARDED_BY(mutex_);
};

}  // namespace sluice::datasets::lean
