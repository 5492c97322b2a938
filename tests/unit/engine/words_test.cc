#include <chrono>
#include <string>

#include "sluice/base/clock.h"

#include "testing.h"

namespace sluice::engine {
namespace {

using ::testing::HasSubstr;

// The first cell of an answer as text; "NULL" for null.
std::string value_of(Engine& engine, const std::string& expression) {
  auto rows = engine.query({.sql = "SELECT CAST(" + expression + " AS VARCHAR)"}, {});
  if (!rows.ok()) return rows.error().message;
  const auto batch = (*rows)->next();
  if (!batch.ok()) return batch.error().message;
  return (*batch)->columns[0].is_null(0) ? "NULL" : std::string((*batch)->columns[0].text(0));
}

TEST(Words, FindsAWordInAllItsForms) {
  const auto engine = open_engine();
  EXPECT_EQ(value_of(*engine, "word_match('Կրթության և գիտության նախարարություն', 'գիտություն')"), "true");
  EXPECT_EQ(value_of(*engine, "word_match('մասնագիտական', 'գիտություն')"), "false");
  EXPECT_EQ(value_of(*engine, "word_match('Дороги и мосты', 'дорога')"), "true");
  EXPECT_EQ(value_of(*engine, "word_match('two cities of Europe', 'city')"), "true");
  EXPECT_EQ(value_of(*engine, "word_match('electricity', 'city')"), "false");
  EXPECT_EQ(value_of(*engine, "word_match('The public schools, 2024', 'public school')"), "true");
}

TEST(Words, ComparesTexts) {
  const auto engine = open_engine();
  EXPECT_EQ(value_of(*engine, "similar('Ministry of Health', 'Health, Ministry of')"), "1.0");
  EXPECT_EQ(value_of(*engine, "similar('abcd', 'wxyz')"), "0.0");
  EXPECT_EQ(value_of(*engine, "round(similar('Yerevan', 'Erevan'), 4)"), "0.8571");
  EXPECT_EQ(value_of(*engine, "similar('Yerevan', 'Erevan') = similar('Erevan', 'Yerevan')"), "true");
}

TEST(Words, GivesNullForNull) {
  const auto engine = open_engine();
  EXPECT_EQ(value_of(*engine, "word_match(NULL, 'city')"), "NULL");
  EXPECT_EQ(value_of(*engine, "word_match('city', NULL)"), "NULL");
  EXPECT_EQ(value_of(*engine, "similar(NULL, 'city')"), "NULL");
  EXPECT_EQ(
      value_of(
          *engine,
          "(SELECT string_agg(coalesce(CAST(word_match(x, 'city') AS VARCHAR), '-'), ' ' ORDER BY i) FROM "
          "(VALUES (1, 'cities'), (2, NULL), (3, 'town')) t(i, x))"),
      "true - false");
}

TEST(Words, RefusesAWordWithoutLetters) {
  const auto engine = open_engine();
  EXPECT_THAT(value_of(*engine, "word_match('city', '!?')"), HasSubstr("word_match"));
  EXPECT_THAT(value_of(*engine, "(SELECT count(*) FROM range(5000) t(i) WHERE word_match('x' || i, ''))"),
              HasSubstr("word_match"));
}

TEST(Words, SearchesTheBeginningOfALongTextOnly) {
  const auto engine = open_engine();
  EXPECT_EQ(value_of(*engine, "word_match(repeat('ա ', 10000) || 'city', 'city')"), "true");
  EXPECT_EQ(value_of(*engine, "word_match(repeat('ա ', 1000000) || 'city', 'city')"), "false");
  EXPECT_EQ(value_of(*engine, "similar(repeat('a', 256) || 'x', repeat('a', 256) || 'y')"), "1.0");
}

// The engine looks at its deadline between batches, so one batch must not take long.
TEST(Words, EndsSoonAfterItsDeadline) {
  const auto engine = open_engine();
  const Monotonic begin = system_clock().now();
  const auto found = integers(*engine,
                              {.sql = "SELECT count(*) FROM range(1000000) t(i) WHERE similar(repeat('ab', "
                                      "1000) || i, repeat('ba', 1000) "
                                      "|| i) > 2"},
                              {.deadline = begin + std::chrono::milliseconds(100), .stop = {}});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().kind, ErrorKind::kDeadline) << found.error().message;
  EXPECT_LT(system_clock().now() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace sluice::engine
