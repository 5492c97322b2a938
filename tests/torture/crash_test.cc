#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sluice/engine/duckdb.h"
#include "sluice/engine/sql.h"
#include "sluice/records/audit.h"
#include "sluice/records/store.h"

#include "temp_folder.h"
#include "writer_process.h"

namespace sluice::records::testing {
namespace {

using Values = std::map<std::string, std::string>;  // By id.

bool is_long() {
  return std::getenv("SLUICE_TORTURE") != nullptr;
}  // NOLINT(concurrency-mt-unsafe): no thread yet.

// {id: value} of a SELECT; fails the test where an id stands twice.
Values read_values(engine::Engine& engine, const std::string& relation) {
  Values out;
  auto rows = engine.query({.sql = "SELECT item_id, value FROM " + relation, .parameters = {}}, {});
  EXPECT_TRUE(rows.ok()) << rows.error().message;
  while (rows.ok()) {
    const auto batch = (*rows)->next();
    EXPECT_TRUE(batch.ok()) << batch.error().message;
    if (!batch.ok() || *batch == nullptr) break;
    for (std::size_t row = 0; row < (*batch)->rows; ++row) {
      const std::string id((*batch)->columns[0].text(row));
      EXPECT_TRUE(out.emplace(id, std::string((*batch)->columns[1].text(row))).second) << "twice: " << id;
    }
  }
  return out;
}

void apply(Values& values, const Spoken& operation) {
  if (operation.kind == "delete") {
    values.erase(operation.id);
  } else {
    values[operation.id] = operation.value;
  }
}

// A folder of one data type whose writers die, and what must be in it.
class Crashing {
 public:
  Crashing() {
    folder_.make_folder("items");
    engine::EngineOptions options;
    options.folders = {folder_.path()};
    engine_ = engine::open_duckdb(options).value();
    const auto made =
        engine_->execute({.sql = "COPY (SELECT ''::VARCHAR AS item_id, ''::VARCHAR AS value LIMIT 0) TO " +
                                 quoted_file() + " (FORMAT parquet)",
                          .parameters = {}},
                         {});
    EXPECT_TRUE(made.ok());
  }

  const std::string path() const { return folder_.path(); }

  static std::string differences(const Values& expected, const Values& found) {
    std::string out;
    for (const auto& [id, value] : expected) {
      const auto other = found.find(id);
      if (other == found.end()) out += fmt::format("{} is gone; ", id);
      if (other != found.end() && other->second != value)
        out += fmt::format("{} is {}, not {}; ", id, other->second, value);
    }
    for (const auto& [id, value] : found) {
      if (!expected.contains(id)) out += fmt::format("{} {} came; ", id, value);
    }
    return out;
  }

  // Takes over what a writer has said before it ended, and compares.
  void check(const std::vector<Spoken>& spoken, bool recover) {
    const Spoken* doubtful = nullptr;
    for (const Spoken& one : spoken) {
      if (one.audit_id.empty()) {
        doubtful = &one;
        continue;
      }
      apply(expected_, one);
      acknowledged_.emplace(one.audit_id, one.kind);
    }
    StoreOptions options;
    options.path = folder_.path();
    options.writable = recover;
    const auto store = Store::open(options).value();
    const auto view = store->find("items").value()->view({});
    ASSERT_TRUE(view.ok()) << view.error().code << ": " << view.error().message;
    const Values found = read_values(*view->engine, view->relation);
    EXPECT_EQ(view->rows, found.size());
    Values with = expected_;
    if (doubtful != nullptr) apply(with, *doubtful);
    const bool has_doubtful = doubtful != nullptr && found == with && with != expected_;
    EXPECT_TRUE(found == expected_ || has_doubtful)
        << fmt::format(
               "{} found, {} expected; doubtful: {}; ", found.size(), expected_.size(),
               doubtful == nullptr ? "none" : doubtful->kind + " " + doubtful->id + " " + doubtful->value)
        << differences(expected_, found);
    check_audit(store->root(), has_doubtful ? doubtful : nullptr, spoken.size());
    if (has_doubtful) expected_ = with;
    read_values(*engine_, "read_parquet(" + quoted_file() + ")");  // It opens, for everybody.
  }

  // Every acknowledged operation stands in the log exactly once, and nothing else does.
  void check_whole_audit() {
    const fs::Root root = folder_.root();
    AuditQuery query;
    query.limit = 10'000'000;
    const auto page = read_audit(root, {"items"}, query);
    ASSERT_TRUE(page.ok());
    std::set<std::string> seen;
    for (const AuditEntry& entry : page->entries)
      EXPECT_TRUE(seen.insert(entry.audit_id).second) << entry.audit_id;
    for (const auto& [id, kind] : acknowledged_) EXPECT_TRUE(seen.contains(id)) << id;
    EXPECT_EQ(seen.size(), acknowledged_.size() + unacknowledged_);
  }

  std::size_t acknowledged() const { return acknowledged_.size(); }
  std::size_t unacknowledged() const { return unacknowledged_; }  // That had happened all the same.
  const Values& expected() const { return expected_; }

 private:
  std::string quoted_file() const { return engine::quote_text(folder_.at("items/items.parquet").string()); }

  void check_audit(const fs::Root& root, const Spoken* doubtful, std::size_t recent) {
    AuditQuery query;
    query.limit = recent + 1;
    const auto page = read_audit(root, {"items"}, query);
    ASSERT_TRUE(page.ok()) << page.error().message;
    std::multiset<std::string> seen;
    for (const AuditEntry& entry : page->entries) seen.insert(entry.audit_id);
    // The newest entry is the doubtful operation exactly where its effect is there.
    if (page->entries.empty()) return;
    const bool is_unknown = !acknowledged_.contains(page->entries.front().audit_id) &&
                            !doubtful_ids_.contains(page->entries.front().audit_id);
    EXPECT_EQ(is_unknown, doubtful != nullptr);
    if (!is_unknown) return;
    EXPECT_EQ(page->entries.front().record_id, "\"" + (doubtful == nullptr ? "" : doubtful->id) + "\"");
    doubtful_ids_.insert(page->entries.front().audit_id);
    ++unacknowledged_;
  }

  fs::TempFolder folder_;
  std::unique_ptr<engine::Engine> engine_;
  Values expected_;
  std::map<std::string, std::string> acknowledged_;
  std::set<std::string> doubtful_ids_;
  std::size_t unacknowledged_ = 0;
};

TEST(Crash, AtRandomInstants) {
  const int kills = is_long() ? 1'000 : 25;
  Crashing crashing;
  std::mt19937 random(20261115);  // NOLINT(cert-msc51-cpp): the same every time.
  for (int i = 0; i < kills; ++i) {
    WriterProcess writer(crashing.path(), static_cast<unsigned>(i), 1'000'000);
    writer.wait_until_ready();
    writer.listen_for(std::chrono::microseconds(random() % 150'000));
    writer.kill();
    EXPECT_FALSE(writer.wait());
    crashing.check(writer.spoken(), i % 3 == 0);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "kill " << i;
  }
  crashing.check_whole_audit();
  std::printf("%d kills, %zu operations acknowledged, %zu unacknowledged ones had happened, 0 violations\n",
              kills, crashing.acknowledged(), crashing.unacknowledged());
}

TEST(Crash, BeforeEachDurableStep) {
  Crashing crashing;
  unsigned step = 0;
  for (;; ++step) {
    WriterProcess writer(crashing.path(), 1'000 + step, 3, step);
    const bool ended = writer.wait();
    crashing.check(writer.spoken(), step % 2 == 0);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "step " << step;
    if (ended) break;
  }
  crashing.check_whole_audit();
  EXPECT_GE(step, 20U);
  std::printf("killed before each of %u durable steps, %zu operations acknowledged, 0 violations\n", step,
              crashing.acknowledged());
}

TEST(Writers, SeveralAtOnce) {
  const int operations = is_long() ? 500 : 40;
  Crashing crashing;
  std::vector<std::unique_ptr<WriterProcess>> writers;
  for (unsigned i = 0; i < 4; ++i)
    writers.push_back(std::make_unique<WriterProcess>(crashing.path(), i, operations));
  std::vector<Spoken> all;
  for (const auto& writer : writers) {
    EXPECT_TRUE(writer->wait());
    all.insert(all.end(), writer->spoken().begin(), writer->spoken().end());
  }
  EXPECT_EQ(all.size(), static_cast<std::size_t>(4 * operations));
  crashing.check(all, false);
  crashing.check_whole_audit();
  EXPECT_EQ(crashing.unacknowledged(), 0U);
}

}  // namespace
}  // namespace sluice::records::testing
