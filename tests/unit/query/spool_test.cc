#include "sluice/query/spool.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <stop_token>
#include <thread>

#include <gmock/gmock.h>

#include "sluice/engine/duckdb.h"
#include "sluice/engine/sql.h"
#include "sluice/query/answer.h"
#include "sluice/query/result_file.h"

namespace sluice::query {
namespace {

class Spooling : public ::testing::Test {
 protected:
  Spooling()
      : spool_(std::move(fs::PrivateFolder::make_temporary("sluice-test")).value(), {.bytes_max = 4'000},
               system_clock()),
        engine_(std::move(engine::open_duckdb({.folders = {spool_.folder()}})).value()) {}

  SnapshotPtr keep(const std::string& sql) {
    const engine::Statement select{.sql = sql};
    Spool::WriteRequest writing{.select = select,
                                .columns = std::move(engine_->describe(select)).value().columns,
                                .scheme = "data",
                                .owner = local_principal()};
    Result<SnapshotPtr> kept = spool_.write(*engine_, writing, {});
    EXPECT_TRUE(kept.ok()) << kept.error().message;
    return kept.ok() ? *kept : nullptr;
  }
  std::string rows(const Snapshot& snapshot) {
    const Result<Page> page = read_page(*engine_, snapshot, {}, {});
    return page.ok() ? page->rows : page.error().code;
  }

  Spool spool_;
  std::unique_ptr<engine::Engine> engine_;
};

TEST_F(Spooling, KeepsTypesThatParquetDoesNotHave) {
  const SnapshotPtr kept = keep(
      "SELECT 170141183460469231731687303715884105727::HUGEINT AS h, INTERVAL '1 month 2 microseconds' AS i, "
      "TIMETZ '12:00:00+04:30' AS t, '0101'::BIT AS b, 'x'::ENUM('x', 'y') AS e, [1, 2]::INTEGER[2] AS a");
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(
      rows(*kept),
      R"([{"h":"170141183460469231731687303715884105727","i":"P1MT0.000002S","t":"12:00:00+04:30","b":"0101",)"
      R"("e":"x","a":[1,2]}])");
}

TEST_F(Spooling, KeepsWideIntegersAndIntervalsWithinNestedValues) {
  const SnapshotPtr kept = keep(
      "SELECT [9007199254740993::HUGEINT] AS l, {'a': 9007199254740993::HUGEINT, 'b': 'x, \"y\"'} AS s, "
      "[INTERVAL '-1 day'] AS i, INTERVAL '-2 hours' AS n");
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(
      rows(*kept),
      R"([{"l":["9007199254740993"],"s":{"a":"9007199254740993","b":"x, \"y\""},"i":["P-1D"],"n":"PT-2H"}])");
}

class ResultFiles : public Spooling {
 protected:
  // What reading a Parquet file gives.
  std::string read(const fs::File& file) {
    const auto rows = engine_->query(
        {.sql = "SELECT * FROM read_parquet('/proc/self/fd/" + std::to_string(file.descriptor()) + "')"}, {});
    EXPECT_TRUE(rows.ok()) << rows.error().message;
    render::JsonRows out((*rows)->columns(), {});
    types_.clear();
    for (const engine::Field& column : (*rows)->columns()) types_ += engine::sql_name(column.type) + " ";
    while (const engine::Batch* batch = *(*rows)->next()) out.append(*batch);
    return std::move(out).take();
  }
  FilePtr file(const Snapshot& snapshot, Format format) {
    Result<FilePtr> made = result_file(*engine_, spool_, snapshot, format, {});
    EXPECT_TRUE(made.ok()) << made.error().message;
    return made.ok() ? *made : nullptr;
  }

  std::string types_;
};

TEST_F(ResultFiles, OfParquetHaveDecimalsForWideIntegersThatFit) {
  const SnapshotPtr sums = keep("SELECT sum(x)::HUGEINT AS s FROM (VALUES (9007199254740993), (0)) t(x)");
  EXPECT_EQ(read(*file(*sums, Format::kParquet)), R"([{"s":"9007199254740993"}])");
  EXPECT_EQ(types_, "DECIMAL(38,0) ");
  const SnapshotPtr wide = keep("SELECT 170141183460469231731687303715884105727::HUGEINT AS s");
  EXPECT_EQ(read(*file(*wide, Format::kParquet)), R"([{"s":"170141183460469231731687303715884105727"}])");
  EXPECT_EQ(types_, "VARCHAR ");
}

TEST_F(ResultFiles, AreMadeOnceAndRemovedWithTheirSnapshot) {
  const SnapshotPtr kept = keep("SELECT i FROM range(300) t(i)");
  EXPECT_EQ(file(*kept, Format::kParquet), kept->file);
  const FilePtr csv = file(*kept, Format::kCsv);
  EXPECT_TRUE(csv->read_all(100'000)->starts_with("i\n0\n1\n"));
  EXPECT_EQ(file(*kept, Format::kCsv)->status()->identity, csv->status()->identity);
  const auto files = [&] {
    return std::distance(std::filesystem::directory_iterator(spool_.folder()),
                         std::filesystem::directory_iterator());
  };
  EXPECT_EQ(files(), 2);
  spool_.remove(*kept);
  EXPECT_EQ(files(), 0);
  EXPECT_TRUE(csv->read_all(100'000)->ends_with("\n299\n"));
}

TEST_F(ResultFiles, CountAsPartOfTheSpool) {
  const SnapshotPtr kept = keep("SELECT 'some text that is the same in all rows' AS t FROM range(200)");
  const Result<FilePtr> csv = result_file(*engine_, spool_, *kept, Format::kCsv, {});
  ASSERT_FALSE(csv.ok());  // The spool has 4,000 bytes.
  EXPECT_EQ(csv.error().code, "oversize_result");
  EXPECT_EQ(result_file(*engine_, spool_, *kept, Format::kJson, {}).error().code, "unsupported_format");
}

TEST_F(Spooling, GivesUpAResultThatPassesItsBound) {
  const engine::Statement select{.sql = "SELECT hash(i) AS h FROM range(100000) t(i)"};
  const Result<SnapshotPtr> kept = spool_.write(*engine_,
                                                {.select = select,
                                                 .columns = engine_->describe(select)->columns,
                                                 .scheme = "data",
                                                 .owner = local_principal(),
                                                 .bytes_max = 1'000},
                                                {});
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  EXPECT_EQ(*kept, nullptr);
  EXPECT_TRUE(std::filesystem::is_empty(spool_.folder()));
}

// Results of two callers in a spool of 400,000 bytes. A row takes 8 bytes.
class SpoolOfTwo : public ::testing::Test {
 protected:
  Result<SnapshotPtr> write(int rows, const Principal& owner, std::uint64_t bytes_max = UINT64_MAX) {
    const engine::Statement select{.sql =
                                       "SELECT hash(i) AS h FROM range(" + std::to_string(rows) + ") t(i)"};
    return spool_.write(*engine_,
                        {.select = select,
                         .columns = engine_->describe(select)->columns,
                         .scheme = "data",
                         .owner = owner,
                         .bytes_max = bytes_max},
                        {});
  }
  bool is_kept(const Snapshot& snapshot) {
    return spool_.find(snapshot.id, {snapshot.owner, {}}, *engine_).ok();
  }
  auto files() const {
    return std::distance(std::filesystem::directory_iterator(spool_.folder()),
                         std::filesystem::directory_iterator());
  }

  Spool spool_{
      fs::PrivateFolder::make_temporary("sluice-test").value(), {.bytes_max = 400'000}, system_clock()};
  std::unique_ptr<engine::Engine> engine_ = engine::open_duckdb({.folders = {spool_.folder()}}).value();
  const Principal ann_{.id = "token:ann"};
  const Principal bob_{.id = "token:bob"};
};

TEST_F(SpoolOfTwo, GivesUpNothingForAResultThatNobodyHasConfirmed) {
  const SnapshotPtr first = write(20'000, bob_).value();
  const SnapshotPtr second = write(20'000, bob_).value();
  const Result<SnapshotPtr> unconfirmed = write(20'000, ann_, 300'000);
  ASSERT_TRUE(unconfirmed.ok()) << unconfirmed.error().message;
  EXPECT_EQ(*unconfirmed, nullptr);
  EXPECT_TRUE(is_kept(*first));
  EXPECT_TRUE(is_kept(*second));
  EXPECT_EQ(files(), 2);
  // Once it is confirmed, whoever has most gives up the oldest.
  EXPECT_NE(write(20'000, ann_).value(), nullptr);
  EXPECT_FALSE(is_kept(*first));
  EXPECT_TRUE(is_kept(*second));
}

TEST_F(SpoolOfTwo, MakesRoomForASmallResultOnceItIsSettled) {
  const SnapshotPtr first = write(20'000, bob_).value();
  const SnapshotPtr second = write(20'000, bob_).value();
  const SnapshotPtr small = write(10'500, ann_, 300'000).value();
  ASSERT_NE(small, nullptr);
  EXPECT_EQ(files(), 3);
  ASSERT_TRUE(spool_.settle(*small).ok());
  EXPECT_FALSE(is_kept(*first));
  EXPECT_TRUE(is_kept(*second));
  EXPECT_TRUE(is_kept(*small));
}

TEST_F(SpoolOfTwo, GivesUpOlderResultsOfTheSameCaller) {
  const SnapshotPtr older = write(30'000, ann_).value();
  const SnapshotPtr newer = write(30'000, ann_, 300'000).value();
  ASSERT_NE(newer, nullptr);
  EXPECT_FALSE(is_kept(*older));
  EXPECT_TRUE(spool_.settle(*newer).ok());
  EXPECT_TRUE(is_kept(*newer));
}

TEST_F(SpoolOfTwo, RefusesAResultThatIsLargerThanAllOfIt) {
  const Result<SnapshotPtr> huge = write(200'000, ann_, 10'000'000);
  ASSERT_FALSE(huge.ok());
  EXPECT_EQ(huge.error().code, "oversize_result");
  EXPECT_EQ(files(), 0);
}

// Two processes with one folder, as far as a spool can tell.
class SharedSpools : public ::testing::Test {
 protected:
  std::unique_ptr<Spool> open(std::chrono::milliseconds lifetime = std::chrono::minutes(20)) {
    return std::make_unique<Spool>(fs::PrivateFolder::open(folder_.path()).value(),
                                   SpoolOptions{.lifetime = lifetime, .bytes_max = 40'000, .is_shared = true},
                                   system_clock());
  }

  SnapshotPtr keep(Spool& spool, const std::string& sql, const Principal& owner) {
    const engine::Statement select{.sql = sql};
    return spool
        .write(*engine_,
               {.select = select,
                .columns = engine_->describe(select)->columns,
                .scheme = "data",
                .owner = owner},
               {})
        .value();
  }
  std::string rows(const Snapshot& snapshot) { return read_page(*engine_, snapshot, {}, {})->rows; }
  std::string code(Spool& spool, std::string_view id, const Principal& caller) {
    const Result<SnapshotPtr> found = spool.find(id, {caller, {}}, *engine_);
    return found.ok() ? "" : found.error().code;
  }

  fs::PrivateFolder folder_ = fs::PrivateFolder::make_temporary("sluice-test").value();
  std::unique_ptr<engine::Engine> engine_ = engine::open_duckdb({.folders = {folder_.path()}}).value();
  const Principal ann_{.id = "token:ann"};
  const Principal bob_{.id = "token:bob"};
};

TEST_F(SharedSpools, OneServesTheHandlesOfAnotherToTheirOwner) {
  const auto one = open();
  const auto two = open();
  const SnapshotPtr kept = keep(*one,
                                "SELECT 1::UTINYINT AS \"a \"\"b\", {'x': [1.50::DECIMAL(9, 2)]} AS s, "
                                "INTERVAL '1 month' AS i, 'y'::ENUM('x', 'y') AS e, NULL AS n",
                                ann_);
  const Result<SnapshotPtr> found = two->find(kept->id, {ann_, {}}, *engine_);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(rows(**found), rows(*kept));
  ASSERT_EQ((*found)->columns.size(), kept->columns.size());
  for (std::size_t i = 0; i < kept->columns.size(); ++i) {
    EXPECT_EQ((*found)->columns[i].name, kept->columns[i].name);
    EXPECT_EQ(engine::sql_name((*found)->columns[i].type), engine::sql_name(kept->columns[i].type));
  }
  EXPECT_EQ((*found)->rows, 1U);
  EXPECT_EQ((*found)->scheme, "data");
  EXPECT_EQ(code(*two, kept->id, bob_), "unknown_handle");
  EXPECT_EQ(code(*open(), kept->id, bob_), "unknown_handle");
}

TEST_F(SharedSpools, TheCardOfAHandleTellsWhereItsColumnsComeFrom) {
  const auto one = open();
  const auto two = open();
  const json::Object lineage{{"columns", json::Array{json::Object{{"column", "a"}, {"from", json::Array{}}}}},
                             {"filtered_by", json::Array{}}};
  const engine::Statement select{.sql = "SELECT 1 AS a"};
  const SnapshotPtr kept = one->write(*engine_,
                                      {.select = select,
                                       .columns = engine_->describe(select)->columns,
                                       .lineage = lineage,
                                       .scheme = "data",
                                       .owner = ann_},
                                      {})
                               .value();
  EXPECT_EQ(json::to_text(two->find(kept->id, {ann_, {}}, *engine_).value()->lineage),
            json::to_text(lineage));
  EXPECT_TRUE(
      two->find(keep(*one, "SELECT 1 AS a", ann_)->id, {ann_, {}}, *engine_).value()->lineage.empty());
}

// Both of its times are set by the test.
class SetClock final : public Clock {
 public:
  Monotonic now() const override { return now_; }
  WallTime wall() const override { return wall_; }

  Monotonic now_{std::chrono::hours(100)};
  WallTime wall_{std::chrono::hours(500'000)};
};

TEST_F(SharedSpools, AClockThatIsSetBackExtendsNoHandle) {
  SetClock clock;
  const auto open = [&] {
    return std::make_unique<Spool>(
        fs::PrivateFolder::open(folder_.path()).value(),
        SpoolOptions{.lifetime = std::chrono::minutes(20), .bytes_max = 40'000, .is_shared = true}, clock);
  };
  const auto one = open();
  const auto two = open();
  const SnapshotPtr kept = keep(*one, "SELECT 1 AS a", ann_);
  clock.wall_ -= std::chrono::hours(24);
  EXPECT_EQ(code(*two, kept->id, ann_), "");
  clock.now_ += std::chrono::minutes(21);
  EXPECT_EQ(code(*two, kept->id, ann_), "unknown_handle");
}

TEST_F(SharedSpools, WhatItsWriterGivesUpIsGoneForAll) {
  const auto one = open();
  const auto two = open();
  const SnapshotPtr kept = keep(*one, "SELECT 1 AS a", ann_);
  for (int i = 0; i < 400; ++i) keep(*one, "SELECT 2 AS a", ann_);  // More than its bytes.
  EXPECT_EQ(code(*two, kept->id, ann_), "unknown_handle");
}

TEST_F(SharedSpools, WhoServesAHandleOfAnotherDoesNotRemoveIt) {
  const auto one = open();
  const SnapshotPtr kept = keep(*one, "SELECT 1 AS a", ann_);
  {
    const auto two = open();
    EXPECT_EQ(code(*two, kept->id, ann_), "");
    for (int i = 0; i < 400; ++i) keep(*two, "SELECT 2 AS a", ann_);
  }
  EXPECT_EQ(rows(*one->find(kept->id, {ann_, {}}, *engine_).value()), R"([{"a":1}])");
  EXPECT_EQ(code(*open(), kept->id, ann_), "");
}

TEST_F(SharedSpools, AHandleEndsAtItsTimeWhoeverServesIt) {
  const auto one = open(std::chrono::milliseconds(0));
  const SnapshotPtr kept = keep(*one, "SELECT 1 AS a", ann_);
  EXPECT_EQ(code(*open(), kept->id, ann_), "unknown_handle");
}

// A principal whose rules have changed is another one to the spool: of this process, and by the card of
// another.
TEST_F(SharedSpools, AHandleIsUnknownUnderOtherRules) {
  const engine::Statement select{.sql = "SELECT 1 AS a"};
  const auto one = open();
  const SnapshotPtr kept = one->write(*engine_,
                                      {.select = select,
                                       .columns = engine_->describe(select)->columns,
                                       .scheme = "data",
                                       .owner = ann_,
                                       .policy = {"north"}},
                                      {})
                               .value();
  const auto other = open();
  for (Spool* spool : {one.get(), other.get()}) {
    EXPECT_TRUE(spool->find(kept->id, {ann_, {"north"}}, *engine_).ok());
    for (const char* policy : {"", "south", "north "})
      EXPECT_EQ(spool->find(kept->id, {ann_, {policy}}, *engine_).error().code, "unknown_handle") << policy;
    EXPECT_EQ(spool->find(kept->id, {bob_, {"north"}}, *engine_).error().code, "unknown_handle");
  }
  const SnapshotPtr plain = keep(*one, "SELECT 2 AS a", ann_);
  EXPECT_EQ(other->find(plain->id, {ann_, {"north"}}, *engine_).error().code, "unknown_handle");
  EXPECT_TRUE(other->find(plain->id, {ann_, {}}, *engine_).ok());
}

TEST_F(SharedSpools, NothingElseInTheFolderIsAHandle) {
  const auto one = open();
  const SnapshotPtr kept = keep(*one, "SELECT 1 AS a", ann_);
  for (const std::string& id :
       {std::string(), std::string("../") + kept->id, kept->id + ".json", kept->id.substr(1),
        std::string(22, 'A'), std::string(5'000, 'A'), kept->id + std::string(1, '\0')})
    EXPECT_EQ(code(*open(), id, ann_), "unknown_handle") << id;
}

TEST_F(SharedSpools, LeftoversOfADeadProcessGoWhenTheirTimeIsOver) {
  const SnapshotPtr old = keep(*open(), "SELECT 1 AS a", ann_);
  const SnapshotPtr young = keep(*open(), "SELECT 1 AS a", ann_);
  for (const std::string_view ending : {".json", ".parquet"}) {
    std::filesystem::last_write_time(folder_.path() + "/" + old->id + std::string(ending),
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  }
  const auto next = open();
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/" + old->id + ".parquet"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/" + old->id + ".json"));
  EXPECT_EQ(code(*next, young->id, ann_), "");
}

TEST_F(Spooling, AnEvictedSnapshotIsAnUnknownHandleToWhoStillHoldsIt) {
  const SnapshotPtr first = keep("SELECT 1 AS a");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(rows(*first), R"([{"a":1}])");
  for (int i = 0; i < 40; ++i) keep("SELECT 2 AS a");
  EXPECT_EQ(spool_.find(first->id, {local_principal(), {}}, *engine_).error().code, "unknown_handle");
  EXPECT_EQ(rows(*first), "unknown_handle");
}

std::uint64_t bytes_in(const std::string& folder) {
  std::uint64_t bytes = 0;
  std::error_code gone;  // Files come and go meanwhile.
  for (const auto& entry : std::filesystem::directory_iterator(folder, gone)) {
    const std::uint64_t size = entry.file_size(gone);
    if (!gone) bytes += size;
  }
  return bytes;
}

// 400 million random numbers would be 3 GB.
TEST_F(Spooling, AResultThatGrowsTooLargeIsGivenUpWhileItIsWritten) {
  const engine::Statement select{.sql = "SELECT random() AS a FROM range(400000000)"};
  const Spool::WriteRequest writing{.select = select,
                                    .columns = std::move(engine_->describe(select)).value().columns,
                                    .scheme = "data",
                                    .owner = local_principal()};
  std::atomic<bool> done = false;
  std::string code;
  std::jthread writer([&] {
    const Result<SnapshotPtr> kept = spool_.write(*engine_, writing, {});
    code = kept.ok() ? "kept" : kept.error().code;
    done = true;
  });
  std::uint64_t most = 0;
  while (!done) most = std::max(most, bytes_in(spool_.folder()));
  writer.join();
  EXPECT_EQ(code, "oversize_result");
  EXPECT_LT(most, 500'000'000U);
  EXPECT_EQ(bytes_in(spool_.folder()), 0U);
  EXPECT_NE(keep("SELECT 1 AS a"), nullptr);  // Nothing of it counts any more.
}

TEST_F(Spooling, WhatIsBeingWrittenPushesOutWhatIsKept) {
  const SnapshotPtr small = keep("SELECT 1 AS a");
  ASSERT_NE(small, nullptr);
  keep("SELECT i AS a FROM range(450) t(i)");
  EXPECT_LE(bytes_in(spool_.folder()), 4'000U);
}

// Results of a few bytes each, as many as a process may have files open.
TEST_F(Spooling, ManySmallResultsLeaveFilesForOthers) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{.rlim_cur = 200, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  Spool spool(fs::PrivateFolder::make_temporary("sluice-test").value(), {}, system_clock());
  const auto engine = std::move(engine::open_duckdb({.folders = {spool.folder()}})).value();
  const engine::Statement select{.sql = "SELECT 1 AS one"};
  std::vector<std::string> ids;
  for (int i = 0; i < 250; ++i) {
    const Result<SnapshotPtr> kept = spool.write(*engine,
                                                 {.select = select,
                                                  .columns = engine->describe(select)->columns,
                                                  .scheme = "data",
                                                  .owner = local_principal()},
                                                 {});
    ASSERT_TRUE(kept.ok()) << i << kept.error().message;
    ids.push_back((*kept)->id);
  }
  EXPECT_EQ(spool.find(ids.front(), {local_principal(), {}}, *engine).error().code, "unknown_handle");
  EXPECT_EQ(spool.find(ids[199], {local_principal(), {}}, *engine).error().code, "unknown_handle");
  for (std::size_t i = 200; i < ids.size(); ++i)
    EXPECT_TRUE(spool.find(ids[i], {local_principal(), {}}, *engine).ok()) << i;
  EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

// What two principals keep in one spool.
class SpoolShares : public ::testing::Test {
 protected:
  Result<SnapshotPtr> keep(Spool& spool, engine::Engine& engine, const Principal& owner, int rows = 1) {
    const engine::Statement select{.sql =
                                       "SELECT hash(i) AS h FROM range(" + std::to_string(rows) + ") t(i)"};
    return spool.write(
        engine,
        {.select = select, .columns = engine.describe(select)->columns, .scheme = "data", .owner = owner},
        {});
  }
  const Principal ann_{.id = "token:ann"};
  const Principal bob_{.id = "token:bob"};
};

TEST_F(SpoolShares, ManyHandlesOfOnePrincipalDoNotEvictThoseOfAnother) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{.rlim_cur = 200, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  Spool spool(fs::PrivateFolder::make_temporary("sluice-test").value(), {}, system_clock());
  const auto engine = std::move(engine::open_duckdb({.folders = {spool.folder()}})).value();
  const std::string theirs = keep(spool, *engine, bob_).value()->id;
  const std::string first = keep(spool, *engine, ann_).value()->id;
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(keep(spool, *engine, ann_).ok());
  EXPECT_TRUE(spool.find(theirs, {bob_, {}}, *engine).ok());
  EXPECT_EQ(spool.find(first, {ann_, {}}, *engine).error().code, "unknown_handle");
  EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_F(SpoolShares, BytesOfOnePrincipalDoNotEvictThoseOfAnother) {
  Spool spool(fs::PrivateFolder::make_temporary("sluice-test").value(), {.bytes_max = 100'000},
              system_clock());
  const auto engine = std::move(engine::open_duckdb({.folders = {spool.folder()}})).value();
  const std::string theirs = keep(spool, *engine, bob_, 1'000).value()->id;
  const std::string first = keep(spool, *engine, ann_, 1'000).value()->id;
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(keep(spool, *engine, ann_, 1'000).ok());
  EXPECT_TRUE(spool.find(theirs, {bob_, {}}, *engine).ok());
  EXPECT_EQ(spool.find(first, {ann_, {}}, *engine).error().code, "unknown_handle");
}

TEST_F(SpoolShares, AResultThatWouldTakeAllIsGivenUpRatherThanWhatOthersKeep) {
  Spool spool(fs::PrivateFolder::make_temporary("sluice-test").value(), {.bytes_max = 100'000},
              system_clock());
  const auto engine = std::move(engine::open_duckdb({.folders = {spool.folder()}})).value();
  const std::string theirs = keep(spool, *engine, bob_, 3'000).value()->id;
  const Result<SnapshotPtr> kept = keep(spool, *engine, ann_, 10'000);
  ASSERT_FALSE(kept.ok());
  EXPECT_EQ(kept.error().code, "oversize_result");
  EXPECT_TRUE(spool.find(theirs, {bob_, {}}, *engine).ok());
}

TEST_F(Spooling, ACallerThatGoesStopsTheWriting) {
  std::stop_source caller;
  caller.request_stop();
  const engine::Statement select{.sql = "SELECT random() AS a FROM range(400000000)"};
  const Spool::WriteRequest writing{.select = select,
                                    .columns = std::move(engine_->describe(select)).value().columns,
                                    .scheme = "data",
                                    .owner = local_principal()};
  const Result<SnapshotPtr> kept = spool_.write(*engine_, writing, {.stop = caller.get_token()});
  ASSERT_FALSE(kept.ok());
  EXPECT_EQ(kept.error().kind, ErrorKind::kCancelled);
  EXPECT_EQ(bytes_in(spool_.folder()), 0U);
}

}  // namespace
}  // namespace sluice::query
