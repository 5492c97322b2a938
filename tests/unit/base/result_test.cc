#include "sluice/base/result.h"

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include "sluice/base/error.h"

namespace sluice {
namespace {

Result<int> parse_digit(char c) {
  if (c < '0' || c > '9') return invalid_input("digit");
  return c - '0';
}

Result<int> sum(char a, char b) {
  SLUICE_TRY(const int first, parse_digit(a));
  SLUICE_TRY(const int second, parse_digit(b));
  return first + second;
}

Status check_digit(char c) {
  SLUICE_TRY([[maybe_unused]] const int digit, parse_digit(c));
  return {};
}

Result<std::string> describe(char c) {
  SLUICE_CHECK(check_digit(c));
  return "a digit";
}

TEST(Result, CarriesAValueOrAnError) {
  EXPECT_TRUE(parse_digit('7').ok());
  EXPECT_EQ(*parse_digit('7'), 7);
  const Result<int> failed = parse_digit('x');
  EXPECT_FALSE(failed.ok());
  EXPECT_FALSE(static_cast<bool>(failed));
  EXPECT_EQ(failed.error().kind, ErrorKind::kInvalidInput);
  EXPECT_EQ(failed.error().code, "invalid_input");
}

TEST(Result, TryReturnsTheFirstError) {
  EXPECT_EQ(*sum('1', '2'), 3);
  EXPECT_EQ(sum('x', '2').error().message, "digit");
  EXPECT_EQ(sum('1', 'x').error().message, "digit");
}

TEST(Result, CheckReturnsTheErrorOfAStatus) {
  EXPECT_EQ(*describe('1'), "a digit");
  EXPECT_EQ(describe('x').error().message, "digit");
}

TEST(Result, MovesWhatCannotBeCopied) {
  const auto make = []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(5); };
  const auto use = [&]() -> Result<int> {
    SLUICE_TRY(const std::unique_ptr<int> number, make());
    return *number;
  };
  EXPECT_EQ(*use(), 5);
}

TEST(Result, TakesWhatItsValueIsMadeOf) {
  const Result<std::string> text = std::string_view("view");
  EXPECT_EQ(*text, "view");
  const Result<std::optional<int>> present = 3;
  EXPECT_EQ(present->value(), 3);
}

// A failed Status must not turn into `true`.
static_assert(!std::is_constructible_v<Result<bool>, Status>);
static_assert(!std::is_constructible_v<Result<bool>, Result<int>>);

TEST(Error, GainsCodeHintAndData) {
  const Error error =
      not_found("read: a").with_code("gone").with_hint("List first.").with_data(R"({"uri":"a"})");
  EXPECT_EQ(error.kind, ErrorKind::kNotFound);
  EXPECT_EQ(error.message, "read: a");
  EXPECT_EQ(error.code, "gone");
  EXPECT_EQ(error.hint, "List first.");
  EXPECT_EQ(error.data, R"({"uri":"a"})");
}

TEST(Error, NamesALimit) {
  EXPECT_EQ(limit_reached("rows in one page", 5000).message, "rows in one page: at most 5000");
}

}  // namespace
}  // namespace sluice
