#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/engine/batch.h"
#include "sluice/engine/sql.h"
#include "sluice/engine/type.h"

namespace sluice::engine {

class Sources;

// A function from text to text that statements may call. It must not throw and may run on any thread.
struct TextFunction {
  std::string name;
  std::function<std::string(std::string_view)> apply;
};

// The same of two texts, with a number as its value. Null where either is null.
struct TextPairFunction {
  std::string name;
  std::function<double(std::string_view, std::string_view)> apply;
};

struct EngineOptions {
  std::vector<std::string> folders;  // Absolute. Nothing outside can be opened, links are followed first.
  std::string scratch_folder;        // Absolute; where large sorts and groupings spill. Empty: nowhere.
  std::uint64_t memory_bytes_max = std::uint64_t{1} << 30;
  std::uint64_t scratch_bytes_max = std::uint64_t{4} << 30;
  unsigned threads = 2;
  // A statement that goes on for so long after it was interrupted breaks the engine.
  std::chrono::milliseconds stuck_after{5'000};
  std::vector<TextFunction> functions;
  std::vector<TextPairFunction> pair_functions;
  std::shared_ptr<const Sources> sources;  // What statements may read from outside; shared. Null: nothing.
  std::uint64_t transfer_bytes_max = UINT64_MAX;  // What databases may send to one statement.
  // Statements that run one at a time report their progress to RunLimits::progress. Costs them a little.
  bool reports_progress = false;
};

// The code of a statement that did not begin, because another one had broken the engine: it can be run on
// another engine. Its kind is kUnavailable.
inline constexpr std::string_view kEngineReplaced = "engine_replaced";

// The code of a statement to which databases sent more bytes than its limits allow. Its kind is
// kLimitReached.
inline constexpr std::string_view kTransferLimit = "transfer_limit";

// When a statement must end. Past either, it fails with kCancelled or kDeadline, within milliseconds. A
// statement that the engine does not stop makes the engine `is_broken`.
struct RunLimits {
  Monotonic deadline = Monotonic::max();
  std::stop_token stop;
  // Set to the percentage done, a few times a second, while the statement runs; left alone if the engine does
  // not know it. Null: nobody wants to know. Must outlive the statement.
  std::atomic<double>* progress = nullptr;
  // What databases may send to it, all of its reads together, if that is less than the engine allows.
  std::uint64_t transfer_bytes_max = UINT64_MAX;
};

// The rows of a running query, as they are produced. One thread at a time. Destroying it ends the query.
class Rows {
 public:
  virtual ~Rows() = default;
  virtual const std::vector<Field>& columns() const = 0;
  // The next batch, which lives until the next call; null at the end. Batches are not empty.
  virtual Result<const Batch*> next() = 0;
};

// What is known of a statement before it runs.
struct Description {
  bool is_select = false;
  std::vector<Field> columns;
};

// Runs statements, one per call, prepared. Locked while it opens: it reads beneath the given folders only,
// takes no settings, no extensions and no network. Any thread; queries run side by side.
class Engine {
 public:
  virtual ~Engine() = default;

  // Without a deadline it ends after kRequestTimeout.
  virtual Result<Description> describe(const Statement& statement, const RunLimits& limits = {}) = 0;
  virtual Result<std::unique_ptr<Rows>> query(const Statement& statement, const RunLimits& limits) = 0;
  // A statement without rows of its own. Returns how many rows it wrote.
  virtual Result<std::uint64_t> execute(const Statement& statement, const RunLimits& limits) = 0;
  // Whether it is of no use for further statements: an error of the engine itself makes all of them fail, or
  // a statement did not end when it was interrupted.
  virtual bool is_broken() const { return false; }
  // What its statements may keep in memory, all together.
  virtual std::uint64_t memory_bytes_max() const { return UINT64_MAX; }
};

}  // namespace sluice::engine
