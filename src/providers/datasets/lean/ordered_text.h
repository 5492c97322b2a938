#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

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
  struct Seen {
    std::string pitfall;    // Empty: none.
    bool is_known = false;  // The first rows were read in time.
    int reads = 0;
  };

  std::string pitfall_of(const query::StatementPart& table, const engine::Field& column,
                         const std::shared_ptr<engine::Engine>& engine, const engine::RunLimits& limits);

  std::mutex mutex_;
  std::map<std::string, Seen, std::less<>> pitfalls_;  // By table, version and column.
};

}  // namespace sluice::datasets::lean
