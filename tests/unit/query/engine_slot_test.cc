#include "sluice/query/engine_slot.h"

#include <atomic>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/engine/duckdb.h"

namespace sluice::query {
namespace {

// DuckDB reads the kind of an error from the text of what is thrown; this is a fatal one.
engine::EngineOptions breakable() {
  engine::EngineOptions options;
  options.functions.push_back({.name = "break_engine", .apply = [](std::string_view kind) -> std::string {
                                 throw std::runtime_error(R"({"exception_type":")" + std::string(kind) +
                                                          R"(","exception_message":"bad"})");
                               }});
  return options;
}

std::string outcome(engine::Engine& engine, const std::string& sql) {
  const Result<std::unique_ptr<engine::Rows>> rows = engine.query({.sql = sql}, {});
  if (!rows.ok()) return rows.error().code;
  const Result<const engine::Batch*> batch = (*rows)->next();
  return batch.ok() ? "ok" : batch.error().code;
}

class BrokenEngine : public ::testing::TestWithParam<std::string> {};

TEST_P(BrokenEngine, IsReplacedByTheNextGet) {
  EngineSlot slot(breakable());
  const std::shared_ptr<engine::Engine> first = slot.get().value();
  EXPECT_EQ(outcome(*first, "SELECT 1"), "ok");
  EXPECT_EQ(slot.get().value(), first);
  EXPECT_EQ(outcome(*first, "SELECT break_engine(x) FROM (VALUES ('" + GetParam() + "')) t(x)"),
            "engine_failed");
  const std::shared_ptr<engine::Engine> second = slot.get().value();
  EXPECT_NE(second, first);
  EXPECT_EQ(outcome(*second, "SELECT 1"), "ok");
  EXPECT_EQ(slot.get().value(), second);
}

INSTANTIATE_TEST_SUITE_P(Kinds, BrokenEngine, ::testing::Values("FATAL", "INTERNAL"),
                         [](const auto& each) { return each.param; });

constexpr const char* kBreak = "SELECT break_engine(x) FROM (VALUES ('FATAL')) t(x)";

TEST(BrokenEngines, AreLeftByStatementsThatDidNotBreakThem) {
  EngineSlot slot(breakable());
  const std::shared_ptr<engine::Engine> engine = slot.get().value();
  EXPECT_EQ(outcome(*engine, kBreak), "engine_failed");
  EXPECT_TRUE(engine->is_broken());
  EXPECT_EQ(outcome(*engine, "SELECT 1"), "ok");
  EXPECT_FALSE(engine->is_broken());
  EXPECT_NE(slot.get().value(), engine);
  EXPECT_EQ(outcome(*engine, kBreak), "engine_failed") << "whoever breaks one is not asked again";
  EXPECT_TRUE(engine->describe({.sql = "SELECT 1 AS one"}).ok());
  EXPECT_EQ(outcome(*engine, kBreak), "engine_failed");
  EXPECT_TRUE(engine->execute({.sql = "SELECT 1"}, {}).ok());
}

TEST(BrokenEngines, GiveTheRowsOfStatementsThatHadBegun) {
  EngineSlot slot(breakable());
  const std::shared_ptr<engine::Engine> engine = slot.get().value();
  const std::unique_ptr<engine::Rows> rows =
      engine->query({.sql = "SELECT range AS n FROM range(100000)"}, {}).value();
  EXPECT_EQ(outcome(*engine, kBreak), "engine_failed");
  EXPECT_EQ(outcome(*engine, "SELECT 1"), "ok");  // From here on it has another engine.
  std::size_t count = 0;
  while (true) {
    const Result<const engine::Batch*> batch = rows->next();
    ASSERT_TRUE(batch.ok()) << batch.error().message;
    if (*batch == nullptr) break;
    count += (*batch)->rows;
  }
  EXPECT_EQ(count, 100'000U);
}

TEST(BrokenEngines, AreReplacedOnceForAllThatRunMeanwhile) {
  std::atomic<int> opened = 0;
  EngineSlot slot(breakable(), [&](const engine::EngineOptions& options) {
    ++opened;
    return Result<std::shared_ptr<engine::Engine>>(engine::open_duckdb(options).value());
  });
  const std::shared_ptr<engine::Engine> engine = slot.get().value();
  EXPECT_EQ(outcome(*engine, kBreak), "engine_failed");
  std::vector<std::thread> callers;
  std::atomic<int> answered = 0;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&] {
      for (int n = 0; n < 20; ++n) answered += outcome(*engine, "SELECT 1") == "ok" ? 1 : 0;
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(answered, 160);
  EXPECT_EQ(opened, 2);
}

TEST(BrokenEngines, FailForWhoOutlivesTheSlot) {
  auto slot = std::make_unique<EngineSlot>(breakable());
  const std::shared_ptr<engine::Engine> engine = slot->get().value();
  EXPECT_EQ(outcome(*engine, kBreak), "engine_failed");
  slot.reset();
  EXPECT_EQ(outcome(*engine, "SELECT 1"), "engine_replaced");
}

TEST(WorkingEngines, AreNotReplacedForErrorsOfStatements) {
  EngineSlot slot(breakable());
  const std::shared_ptr<engine::Engine> engine = slot.get().value();
  EXPECT_EQ(outcome(*engine, "SELECT nothing_like_it"), "invalid_query");
  EXPECT_EQ(outcome(*engine, "SELECT 'x'::INTEGER"), "invalid_value");
  EXPECT_EQ(slot.get().value(), engine);
}

// An engine whose statement does not end: the statement holds it, and it says so once the test wants it to.
class EndlessEngine final : public engine::Engine {
 public:
  Result<engine::Description> describe(const engine::Statement&, const engine::RunLimits&) override {
    return internal_error("not asked");
  }
  Result<std::unique_ptr<engine::Rows>> query(const engine::Statement&, const engine::RunLimits&) override {
    return internal_error("not asked");
  }
  Result<std::uint64_t> execute(const engine::Statement&, const engine::RunLimits&) override {
    return internal_error("not asked");
  }
  bool is_broken() const override { return is_stuck; }

  bool is_stuck = false;
};

TEST(StuckEngines, AreReplacedUntilTooManyAreInUse) {
  EndlessEngine* newest = nullptr;
  EngineSlot slot({}, [&](const engine::EngineOptions&) -> Result<std::shared_ptr<engine::Engine>> {
    auto made = std::make_shared<EndlessEngine>();
    newest = made.get();
    return std::shared_ptr<engine::Engine>(std::move(made));
  });
  std::vector<std::shared_ptr<engine::Engine>> stuck;  // As long as their statements would run.
  for (int i = 0; i < 4; ++i) {
    stuck.push_back(slot.get().value());
    EXPECT_EQ(slot.get().value(), stuck.back());
    newest->is_stuck = true;
  }
  EXPECT_EQ(std::set(stuck.begin(), stuck.end()).size(), 4U);
  EXPECT_EQ(slot.get().error().code, "engine_stuck");
  stuck.erase(stuck.begin(), stuck.begin() + 2);  // The statements of two have ended after all.
  EXPECT_TRUE(slot.get().ok());
}

}  // namespace
}  // namespace sluice::query
