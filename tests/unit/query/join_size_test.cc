#include "sluice/query/join_size.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/engine/duckdb.h"
#include "sluice/expression/sql.h"
#include "sluice/query/estimate.h"
#include "sluice/query/file_dataset.h"
#include "sluice/query/statement_dataset.h"

namespace sluice::query {
namespace {

constexpr double kMillion = 1e6;

// `same` has 100,000 rows of one key and an id each, `ids` 1,000 rows of different keys.
class JoinSizes : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "sluice_joins_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    engine_ = std::move(engine::open_duckdb({.folders = {folder_.string()}})).value();
    add("same", "SELECT 1 AS k, i AS id FROM range(100000) t(i)");
    add("ids", "SELECT i AS k, i AS id FROM range(1000) t(i)");
    dataset_ = std::make_unique<StatementDataset>(parts_, std::make_shared<Collection>());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void add(const std::string& name, const std::string& select) {
    const std::string file = name + ".parquet";
    ASSERT_TRUE(
        engine_->execute({.sql = "COPY (" + select + ") TO '" + (folder_ / file).string() + "'"}, {}).ok());
    auto root = std::make_shared<const fs::Root>(std::move(fs::Root::open(folder_.string())).value());
    Dataset::Identity identity{.collection = std::make_shared<Collection>(),
                               .name = name,
                               .path = file,
                               .bytes = std::filesystem::file_size(folder_ / file),
                               .modified = root->stat(file)->modified};
    const auto dataset = std::make_shared<FileDataset>(identity, root, *kind_of_file(file));
    auto table = std::make_shared<const Table>(dataset->inspect(*engine_, {}).value());
    parts_.push_back(
        {.name = std::string(expression::kTablePrefix) + name, .dataset = dataset, .table = table});
  }

  // The tables of the parts, by their names.
  class Names final : public expression::SqlTables {
   public:
    explicit Names(const std::vector<StatementDataset::Part>& parts) {
      for (const StatementDataset::Part& part : parts)
        tables_.push_back({.name = part.name, .columns = part.table->columns});
    }
    Result<const Table*> find(const std::vector<std::string>& written,
                              const expression::ScanFilters&) override {
      for (const Table& table : tables_) {
        if (table.name.ends_with("_" + written.back())) return &table;
      }
      return not_found("no such table");
    }

   private:
    std::vector<Table> tables_;
  };

  expression::Question question_of(const std::string& sql) {
    Names names(parts_);
    Result<expression::Question> question = expression::check_sql(*engine_, sql, names, {}, {});
    EXPECT_TRUE(question.ok()) << sql << ": " << question.error().message;
    return question.ok() ? *std::move(question) : expression::Question{};
  }
  void know_counts() {
    parts_[0].dataset->set_row_count(100'000);
    parts_[1].dataset->set_row_count(1'000);
  }
  std::optional<JoinSize> size_of(const std::string& sql, double enough = kMillion,
                                  const engine::RunLimits& limits = {}) {
    const auto size = join_size(*engine_, question_of(sql), *dataset_, Table{}, enough, limits);
    EXPECT_TRUE(size.ok()) << size.error().message;
    return size.ok() ? *size : std::nullopt;
  }
  Estimate estimate_of(const std::string& sql) {
    constexpr EstimateTime kLittle{.count = std::chrono::milliseconds(400),
                                   .sample = std::chrono::milliseconds(400)};
    const auto out = estimate(*engine_, question_of(sql), *dataset_, Table{}, kLittle, {});
    EXPECT_TRUE(out.ok()) << out.error().message;
    return out.ok() ? *out : Estimate{};
  }

  std::filesystem::path folder_;
  std::unique_ptr<engine::Engine> engine_;
  std::vector<StatementDataset::Part> parts_;
  std::unique_ptr<StatementDataset> dataset_;
};

engine::RunLimits no_time() { return {.deadline = system_clock().now() - std::chrono::seconds(1)}; }

TEST_F(JoinSizes, AreCountedByKeys) {
  const auto many = size_of("SELECT count(*) AS n FROM same a JOIN same b USING (k)");
  ASSERT_TRUE(many);
  EXPECT_EQ(many->pairs, 1e10);
  EXPECT_TRUE(many->is_counted);
  EXPECT_EQ(size_of("SELECT count(*) AS n FROM same a JOIN same b USING (id)")->pairs, 1e5);
  EXPECT_EQ(size_of("SELECT count(*) AS n FROM same a, same b, same c")->pairs, 1e15);
  EXPECT_FALSE(size_of("SELECT count(*) AS n FROM same"));
}

// Twelve tables of 100,000 rows have more pairs than an integer of 128 bits holds.
TEST_F(JoinSizes, OfManyTablesAreFloatingPoint) {
  std::string sql = "SELECT count(*) AS n FROM same t0";
  for (int i = 1; i < 12; ++i) sql += ", same t" + std::to_string(i);
  const auto size = size_of(sql);
  ASSERT_TRUE(size);
  EXPECT_NEAR(size->pairs, 1e60, 1e46);
}

TEST_F(JoinSizes, OfSeveralJoinsAreAddedUp) {
  const auto both =
      size_of("SELECT id FROM same a JOIN same b USING (id) UNION ALL SELECT a.id FROM ids a, ids b");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->pairs, 1.1e6);
}

TEST_F(JoinSizes, AreNotCountedWhereTheTablesAreSmallEnough) {
  know_counts();
  const auto small = size_of("SELECT count(*) AS n FROM ids a JOIN ids b USING (k)", kMillion, no_time());
  ASSERT_TRUE(small);
  EXPECT_EQ(small->pairs, 1e6);
  EXPECT_FALSE(small->is_counted);
}

TEST_F(JoinSizes, OfProductsAreKnownWithoutTime) {
  know_counts();
  const auto product = size_of("SELECT count(*) AS n FROM same a, same b", kMillion, no_time());
  ASSERT_TRUE(product);
  EXPECT_EQ(product->pairs, 1e10);
  EXPECT_FALSE(product->is_counted);
  EXPECT_FALSE(size_of("SELECT count(*) AS n FROM same a JOIN same b USING (k)", kMillion, no_time()));
}

TEST_F(JoinSizes, AreExactEstimatesOfAnswersThatCannotBeCounted) {
  const Estimate joined = estimate_of("SELECT a.id, b.id AS other FROM same a JOIN same b USING (k)");
  EXPECT_EQ(joined.kind, EstimateKind::kExact);
  EXPECT_EQ(joined.rows, 10'000'000'000U);
  EXPECT_GT(joined.bytes, 15 * joined.rows);
  EXPECT_LT(joined.bytes, 40 * joined.rows);
  EXPECT_EQ(estimate_of("SELECT a.id FROM same a JOIN same b USING (k) LIMIT 5000000000").rows,
            5'000'000'000U);
  const Estimate left =
      estimate_of("SELECT a.id FROM ids a LEFT JOIN same b ON a.k = b.k, same c WHERE c.id < 50000");
  EXPECT_EQ(left.kind, EstimateKind::kExact);
  EXPECT_EQ(left.rows, 100'999ULL * 50'000ULL);
}

// Groups and other conditions leave fewer rows than the join makes.
TEST_F(JoinSizes, AreNoEstimatesOfGroupsAndConditions) {
  for (const char* sql : {"SELECT a.id, count(*) AS n FROM same a JOIN same b USING (k) GROUP BY a.id",
                          "SELECT a.id FROM same a JOIN same b ON a.k = b.k AND a.id < b.id",
                          "SELECT DISTINCT a.id FROM same a, same b"})
    EXPECT_EQ(estimate_of(sql).kind, EstimateKind::kPlanner) << sql;
}

TEST_F(JoinSizes, OfProductsAreExactIfTheCountsAre) {
  know_counts();
  const Estimate product = estimate_of("SELECT a.id, b.id AS other FROM same a, same b");
  EXPECT_EQ(product.kind, EstimateKind::kExact);
  EXPECT_EQ(product.rows, 10'000'000'000U);
}

}  // namespace
}  // namespace sluice::query
