#include "sluice/query/estimate.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "sluice/engine/duckdb.h"
#include "sluice/query/file_dataset.h"
#include "sluice/query/query_arguments.h"

namespace sluice::query {
namespace {

constexpr int kRows = 300'000;

// A file with `id` 0 … kRows - 1, `tenth` id % 10, `hundred` id / 3000 and a text, as CSV or Parquet.
class Estimation : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "sluice_estimate_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    engine_ = std::move(engine::open_duckdb({.folders = {folder_.string()}})).value();
    const std::string file = std::string("t.") + GetParam();
    const std::string copy =
        "COPY (SELECT i AS id, i % 10 AS tenth, i // 3000 AS hundred, 'text ' || i AS s FROM range(" +
        std::to_string(kRows) + ") t(i)) TO '" + (folder_ / file).string() + "'";
    ASSERT_TRUE(engine_->execute({.sql = copy}, {}).ok());
    auto root = std::make_shared<const fs::Root>(std::move(fs::Root::open(folder_.string())).value());
    Dataset::Identity identity{.collection = std::make_shared<Collection>(),
                               .name = "t",
                               .path = file,
                               .bytes = std::filesystem::file_size(folder_ / file),
                               .modified = root->stat(file)->modified};
    dataset_ = std::make_unique<FileDataset>(identity, root, *kind_of_file(file));
    Result<Table> table = dataset_->inspect(*engine_, {});
    ASSERT_TRUE(table.ok()) << table.error().message;
    table_ = *std::move(table);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Estimate estimate_of(const QueryArguments& query_arguments, EstimateTime time) {
    const auto question = compile(query_arguments, table_, dataset_->collection(), {});
    EXPECT_TRUE(question.ok());
    const auto out = estimate(*engine_, *question, *dataset_, table_, time, {});
    EXPECT_TRUE(out.ok()) << out.error().message;
    return out.ok() ? *out : Estimate{};
  }

  std::filesystem::path folder_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<FileDataset> dataset_;
  Table table_;
};

constexpr EstimateTime kAmple{.count = std::chrono::seconds(60), .sample = std::chrono::seconds(60)};
constexpr EstimateTime kNoCount{.count = std::chrono::milliseconds(-1), .sample = std::chrono::seconds(60)};
constexpr EstimateTime kNoTime{.count = std::chrono::milliseconds(-1),
                               .sample = std::chrono::milliseconds(-1)};

QueryArguments tenth_of_rows() { return {.filters = {{.column = "tenth", .op = FilterOp::kEq, .value = 3}}}; }
QueryArguments by_tenth() { return {.grouped = true, .group_by = {"tenth"}}; }
QueryArguments by_id() { return {.grouped = true, .group_by = {"id"}}; }

// How many times too large or too small, whichever it is.
double q_error(double estimate, double truth) { return std::max(estimate / truth, truth / estimate); }

QueryArguments medians(int count) {
  QueryArguments query_arguments{.grouped = true, .group_by = {"tenth"}};
  for (int i = 0; i < count; ++i)
    query_arguments.aggregates.push_back({.column = "id", .fn = AggregateFn::kMedian});
  return query_arguments;
}

TEST_P(Estimation, RefusesMoreMediansThanTheRowsLeaveMemoryFor) {
  dataset_->set_row_count(10'000'000);
  const auto many = compile(medians(20), table_, dataset_->collection(), {});
  ASSERT_TRUE(many.ok()) << many.error().message;
  EXPECT_EQ(many->kept_values, 20U);
  const auto refused = estimate(*engine_, *many, *dataset_, table_, kAmple, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, "memory_limit");
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("4000 MB"));
  EXPECT_EQ(estimate_of(medians(3), kAmple).rows, 10U);
  dataset_->set_row_count(kRows);
  EXPECT_EQ(estimate_of(medians(20), kAmple).rows, 10U);
}

TEST_P(Estimation, CountsWhereThereIsTime) {
  const Estimate all = estimate_of({}, kAmple);
  EXPECT_EQ(all.kind, EstimateKind::kExact);
  EXPECT_EQ(all.rows, kRows);
  EXPECT_EQ(estimate_of(tenth_of_rows(), kAmple).rows, kRows / 10);
  EXPECT_EQ(estimate_of(by_tenth(), kAmple).rows, 10U);
  QueryArguments limited = tenth_of_rows();
  limited.limit = 7;
  EXPECT_EQ(estimate_of(limited, kAmple).rows, 7U);
}

TEST_P(Estimation, SamplesWhereThereIsNot) {
  const Estimate all = estimate_of({}, kNoCount);
  EXPECT_EQ(all.kind, EstimateKind::kSampled);
  EXPECT_LE(q_error(static_cast<double>(all.rows), kRows), 1.25);
  EXPECT_LE(q_error(static_cast<double>(all.bytes), static_cast<double>(estimate_of({}, kAmple).bytes)),
            1.25);
  EXPECT_LE(q_error(static_cast<double>(estimate_of(tenth_of_rows(), kNoCount).rows), kRows / 10.0), 1.25);
  EXPECT_EQ(estimate_of(by_tenth(), kNoCount).rows, 10U);
  EXPECT_LE(q_error(static_cast<double>(estimate_of(by_id(), kNoCount).rows), kRows), 1.25);
}

TEST_P(Estimation, SamplesLittleBeforeAQuery) {
  EstimateTime time = kPreflightTime;
  time.count = std::chrono::milliseconds(-1);
  time.sample = std::chrono::seconds(60);
  EXPECT_EQ(estimate_of(by_tenth(), time).rows, 10U);
  EXPECT_LE(q_error(static_cast<double>(estimate_of(tenth_of_rows(), time).rows), kRows / 10.0), 1.5);
}

// A table joined with itself has the square of its rows, and a small part of it tells.
TEST_P(Estimation, GuessesTheProductOfAJoin) {
  EstimateTime time = kPreflightTime;
  time.count = std::chrono::milliseconds(-1);
  time.sample = std::chrono::milliseconds(500);
  dataset_->set_row_count(kRows);
  const expression::Question question{.sql = "SELECT a.id, b.s FROM data a, data b"};
  const auto joined = estimate(*engine_, question, *dataset_, table_, time, {});
  ASSERT_TRUE(joined.ok()) << joined.error().message;
  EXPECT_EQ(joined->kind, EstimateKind::kSampled);
  EXPECT_LE(q_error(static_cast<double>(joined->rows), double{kRows} * kRows), 1.5) << joined->rows;
}

// A count belongs to one version of the data.
TEST_P(Estimation, DoesNotTakeTheCountOfAnotherVersionForExact) {
  dataset_->set_row_count(kRows + 1'000);
  std::filesystem::last_write_time(folder_ / (std::string("t.") + GetParam()),
                                   std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  const auto question = compile({}, table_, dataset_->collection(), {});
  const auto all = estimate(*engine_, *question, *dataset_, table_, kAmple, {});
  EXPECT_TRUE(!all.ok() || all->rows == kRows) << all->rows;
}

TEST_P(Estimation, GuessesWhereThereIsNoTimeAtAll) {
  const Estimate all = estimate_of({}, kNoTime);
  EXPECT_EQ(all.kind, EstimateKind::kPlanner);
  EXPECT_LE(q_error(static_cast<double>(all.rows), kRows), 1.5) << all.rows;
}

TEST_P(Estimation, KnowsARowCountThatWasCounted) {
  dataset_->set_row_count(kRows);
  const Estimate all = estimate_of({}, kNoCount);
  EXPECT_EQ(all.kind, EstimateKind::kExact);
  EXPECT_EQ(all.rows, kRows);
}

class WideEstimation : public Estimation {};

TEST_P(WideEstimation, SamplesAFileOfThousandsOfColumns) {
  const std::string path = (folder_ / "wide.csv").string();
  {
    std::ofstream file(path);
    for (int i = 0; i < 2'500; ++i) file << (i == 0 ? "c" : ",c") << i;
    for (int row = 0; row < 20; ++row) {
      file << "\n";
      for (int i = 0; i < 2'500; ++i) file << (i == 0 ? "" : ",") << i;
    }
    file << "\n";
  }
  auto root = std::make_shared<const fs::Root>(std::move(fs::Root::open(folder_.string())).value());
  Dataset::Identity identity{.collection = std::make_shared<Collection>(),
                             .name = "wide",
                             .path = "wide.csv",
                             .bytes = std::filesystem::file_size(path),
                             .modified = root->stat("wide.csv")->modified};
  dataset_ = std::make_unique<FileDataset>(identity, root, *kind_of_file("wide.csv"));
  Result<Table> table = dataset_->inspect(*engine_, {});
  ASSERT_TRUE(table.ok()) << table.error().message;
  table_ = *std::move(table);
  const Estimate found = estimate_of({.columns = {"c7"}}, kNoCount);
  EXPECT_EQ(found.kind, EstimateKind::kSampled);
  EXPECT_LT(q_error(static_cast<double>(found.rows), 20), 1.5);
}

INSTANTIATE_TEST_SUITE_P(Text, WideEstimation, ::testing::Values("csv"));

INSTANTIATE_TEST_SUITE_P(Files, Estimation, ::testing::Values("csv", "parquet"),
                         [](const auto& file) { return std::string(file.param); });

}  // namespace
}  // namespace sluice::query
