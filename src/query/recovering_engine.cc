#include "recovering_engine.h"

#include <utility>

namespace sluice::query {

namespace {

// Rows, and the engine that they come from: its successor may be the current one before they end.
class HeldRows final : public engine::Rows {
 public:
  HeldRows(std::shared_ptr<engine::Engine> engine, std::unique_ptr<engine::Rows> rows)
      : engine_(std::move(engine)), rows_(std::move(rows)) {}

  const std::vector<engine::Field>& columns() const override { return rows_->columns(); }
  Result<const engine::Batch*> next() override { return rows_->next(); }

 private:
  const std::shared_ptr<engine::Engine>
      engine_;  // Shared with other statements. Before the rows: they die first.
  const std::unique_ptr<engine::Rows> rows_;
};

}  // namespace

RecoveringEngine::RecoveringEngine(std::shared_ptr<engine::Engine> engine, Next next)
    : next_(std::move(next)), current_(std::move(engine)) {}

std::shared_ptr<engine::Engine> RecoveringEngine::current() const {
  const MutexLock lock(mutex_);
  return current_;
}

// One more attempt is enough: an engine that breaks again within a moment does so because of what is asked.
template <typename T>
Result<T> RecoveringEngine::run(
    const std::function<Result<T>(const std::shared_ptr<engine::Engine>&)>& statement) {
  std::shared_ptr<engine::Engine> engine = current();
  Result<T> outcome = statement(engine);
  if (outcome.ok() || outcome.error().code != engine::kEngineReplaced) return outcome;
  SLUICE_TRY(std::shared_ptr<engine::Engine> next, next_());
  {
    const MutexLock lock(mutex_);
    current_ = next;
  }
  engine.reset();
  return statement(next);
}

Result<engine::Description> RecoveringEngine::describe(const engine::Statement& statement,
                                                       const engine::RunLimits& limits) {
  return run<engine::Description>([&](const auto& engine) { return engine->describe(statement, limits); });
}

Result<std::unique_ptr<engine::Rows>> RecoveringEngine::query(const engine::Statement& statement,
                                                              const engine::RunLimits& limits) {
  return run<std::unique_ptr<engine::Rows>>(
      [&](const std::shared_ptr<engine::Engine>& engine) -> Result<std::unique_ptr<engine::Rows>> {
        SLUICE_TRY(std::unique_ptr<engine::Rows> rows, engine->query(statement, limits));
        return std::unique_ptr<engine::Rows>(std::make_unique<HeldRows>(engine, std::move(rows)));
      });
}

Result<std::uint64_t> RecoveringEngine::execute(const engine::Statement& statement,
                                                const engine::RunLimits& limits) {
  return run<std::uint64_t>([&](const auto& engine) { return engine->execute(statement, limits); });
}

}  // namespace sluice::query
