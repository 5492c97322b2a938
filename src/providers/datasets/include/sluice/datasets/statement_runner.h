#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/catalog/context.h"
#include "sluice/datasets/datasets_provider.h"
#include "sluice/engine/engine.h"
#include "sluice/query/snapshot.h"

namespace sluice::datasets {

// Runs one SELECT over all tables of the registry, with the names, checks and bounds of the tool `query`, but
// for a person: the answer has no budget, and nobody is asked to confirm its size. Any thread. It must
// outlive what it returns.
class StatementRunner {
 public:
  virtual ~StatementRunner() = default;

  // What the caller of a statement wants to follow. Must outlive the statement.
  struct Observer {
    std::atomic<double>* progress = nullptr;  // See engine::RunLimits.
  };

  struct Opened {
    std::unique_ptr<engine::Rows> rows;  // As they are computed.
    std::vector<std::string> warnings;   // What a reader of the rows should know.
  };
  virtual Result<Opened> open(const std::string& sql, catalog::Context& context,
                              const Observer& observer) const = 0;

  struct Written {
    query::FilePtr file;  // Of Parquet, in the spool.
    std::uint64_t rows = 0;
    std::vector<std::string> warnings;
  };
  virtual Result<Written> write_parquet(const std::string& sql, catalog::Context& context,
                                        const Observer& observer) const = 0;

  // What the statement would read, and from where, in a few lines. Runs nothing.
  virtual Result<std::string> explain(const std::string& sql, catalog::Context& context) const = 0;
};

// What the services have must outlive it.
std::unique_ptr<StatementRunner> make_statement_runner(Services services);

}  // namespace sluice::datasets
