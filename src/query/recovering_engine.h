#pragma once

#include <functional>
#include <memory>

#include "sluice/base/mutex.h"
#include "sluice/engine/engine.h"

namespace sluice::query {

// Runs statements on an engine, until another caller's statement breaks that one. From then on it runs them
// on the engine that has taken its place, beginning with a statement that was refused for this reason. Any
// thread.
class RecoveringEngine final : public engine::Engine {
 public:
  // The engine that serves now, opened if necessary.
  using Next = std::function<Result<std::shared_ptr<engine::Engine>>()>;

  RecoveringEngine(std::shared_ptr<engine::Engine> engine, Next next);

  Result<engine::Description> describe(const engine::Statement& statement,
                                       const engine::RunLimits& limits) override;
  Result<std::unique_ptr<engine::Rows>> query(const engine::Statement& statement,
                                              const engine::RunLimits& limits) override;
  Result<std::uint64_t> execute(const engine::Statement& statement, const engine::RunLimits& limits) override;
  bool is_broken() const override { return current()->is_broken(); }
  std::uint64_t memory_bytes_max() const override { return current()->memory_bytes_max(); }

  // Shared with the rows of its statements.
  std::shared_ptr<engine::Engine> current() const;

 private:
  template <typename T>
  Result<T> run(const std::function<Result<T>(const std::shared_ptr<engine::Engine>&)>& statement);

  const Next next_;
  mutable Mutex mutex_;
  std::shared_ptr<engine::Engine> current_ SLUICE_GUARDED_BY(mutex_);
};

}  // namespace sluice::query
