#include "transfer_meter.h"

#include <memory>
#include <string>

#include "testing.h"

namespace sluice::engine {
namespace {

std::uint64_t bytes_of_rows(const std::string& sql) {
  const std::unique_ptr<Engine> engine = open_engine({});
  const auto rows = engine->query({.sql = sql}, {});
  EXPECT_TRUE(rows.ok()) << sql;
  const Result<const Batch*> batch = (*rows)->next();
  EXPECT_TRUE(batch.ok() && *batch != nullptr) << sql;
  return bytes_of(**batch);
}

TEST(TransferMeter, CountsCellsAndTheLengthOfTexts) {
  EXPECT_EQ(bytes_of_rows("SELECT 1::BIGINT AS a, 2::INTEGER AS b, true AS c"), 13U);
  EXPECT_EQ(bytes_of_rows("SELECT 'abc' AS a, repeat('x', 1000) AS b, NULL::VARCHAR AS c"), 4U + 1'001U + 1U);
  EXPECT_EQ(bytes_of_rows("SELECT i::BIGINT AS a FROM range(1000) r(i)"), 8'000U);
}

TEST(TransferMeter, CountsWhatIsInListsAndStructs) {
  EXPECT_EQ(bytes_of_rows("SELECT [1::BIGINT, 2, 3] AS a"), 16U + 24U);
  EXPECT_EQ(bytes_of_rows("SELECT {'a': 1::BIGINT, 'b': 'xyz'} AS s"), 8U + 4U);
  EXPECT_EQ(bytes_of_rows("SELECT [['ab', 'c']] AS a"), 16U + 16U + 3U + 2U);
}

TEST(TransferMeter, EndsRowsBeyondItsBound) {
  const std::unique_ptr<Engine> engine = open_engine({});
  TransferMeter meter(20'000);
  const auto rows =
      metered_rows(*engine->query({.sql = "SELECT i::BIGINT AS a FROM range(100000) r(i)"}, {}), meter);
  Result<const Batch*> batch = rows->next();
  ASSERT_TRUE(batch.ok());
  EXPECT_EQ(meter.bytes(), (*batch)->rows * 8);
  while (batch.ok() && *batch != nullptr) batch = rows->next();
  ASSERT_FALSE(batch.ok());
  EXPECT_EQ(batch.error().code, "transfer_limit");
  EXPECT_LE(meter.bytes(), 20'000U + 2'048U * 8U);
}

}  // namespace
}  // namespace sluice::engine
