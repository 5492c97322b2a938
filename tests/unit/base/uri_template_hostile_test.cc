#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "sluice/base/uri_template.h"

namespace sluice {
namespace {

void check_refusal(const char* text) {
  SCOPED_TRACE(text);
  const auto uri_template = UriTemplate::parse(text);
  ASSERT_FALSE(uri_template.ok());
  EXPECT_EQ(uri_template.error().kind, ErrorKind::kInvalidInput);
  EXPECT_EQ(uri_template.error().code, "invalid_template");
}

TEST(UriTemplateRefuses, Braces) {
  const char* cases[] = {
      "{",     "}",     "a{", "a}",  "{a",  "a}b", "{a}}", "{{a}}", "{a{b}}", "{a{b",
      "{/id*", "/id*}", "{}", "{+}", "{?}", "{,}", "{a,}", "{,a}",  "{a,,b}", "/sparql{?query){&default}"};
  for (const char* each : cases) check_refusal(each);
}

TEST(UriTemplateRefuses, Operators) {
  const char* cases[] = {"{=a}",
                         "{,a,b}",
                         "{!a}",
                         "{@a}",
                         "{|a}",
                         "{$a}",
                         "{~a}",
                         "{*a}",
                         "{(a}",
                         "{??a}",
                         "{/?a}",
                         "{+#a}",
                         "{-prefix|/-/|var}",
                         "{-join|&|var,list}"};
  for (const char* each : cases) check_refusal(each);
}

TEST(UriTemplateRefuses, Names) {
  const char* cases[] = {"{ a}",
                         "{a }",
                         "{a b}",
                         "{?a, b}",
                         "{a-b}",
                         "{a=b}",
                         "{.}",
                         "{..a}",
                         "{a..b}",
                         "{a.}",
                         "{%}",
                         "{%4}",
                         "{%zz}",
                         "{a%4}",
                         "{é}",
                         "{a+}",
                         "{#hello+}",
                         "{?empty=default,var}",
                         "{?empty|foo=none}",
                         "{a/b}"};
  for (const char* each : cases) check_refusal(each);
}

TEST(UriTemplateRefuses, Modifiers) {
  const char* cases[] = {"{a:}",  "{a:0}",      "{a:01}", "{a:-1}", "{a:10000}", "{a:99999999999999999999}",
                         "{a:x}", "{a:prefix}", "{a:2*}", "{a*:2}", "{a**}",     "{*}",
                         "{:3}",  "{a:3:4}",    "{a: 3}"};
  for (const char* each : cases) check_refusal(each);
}

TEST(UriTemplateRefuses, Literals) {
  const char* cases[] = {"a b", "a\tb", "a\nb", "a\x7f", "a\"b", "a<b",  "a>b",  "a\\b",  "a^b",
                         "a`b", "a|b",  "%",    "%2",    "%zz",  "100%", "\xff", "a\xc3", "\xed\xa0\x80"};
  for (const char* each : cases) check_refusal(each);
}

TEST(UriTemplateLimits, TakesALongestPrefix) { EXPECT_TRUE(UriTemplate::parse("{a:9999}").ok()); }

TEST(UriTemplateLimits, RefusesNul) { EXPECT_FALSE(UriTemplate::parse(std::string_view("a\0b", 3)).ok()); }

TEST(UriTemplateLimits, RefusesThe65thExpression) {
  std::string text;
  for (int i = 0; i < 64; ++i) text += "{a}/";
  EXPECT_TRUE(UriTemplate::parse(text).ok());
  const auto over = UriTemplate::parse(text + "{a}");
  ASSERT_FALSE(over.ok());
  EXPECT_EQ(over.error().kind, ErrorKind::kLimitReached);
}

TEST(UriTemplateLimits, RefusesThe257thVariable) {
  std::string text = "{a";
  for (int i = 1; i < 256; ++i) text += ",a";
  EXPECT_TRUE(UriTemplate::parse(text + "}").ok());
  EXPECT_FALSE(UriTemplate::parse(text + ",a}").ok());
}

TEST(UriTemplateLimits, RefusesAMegabyte) {
  for (const char* piece : {"a", "{", "{a}", "{a,", "%"}) {
    std::string text;
    while (text.size() < 1'000'000) text += piece;
    const auto uri_template = UriTemplate::parse(text);
    ASSERT_FALSE(uri_template.ok());
    EXPECT_EQ(uri_template.error().kind, ErrorKind::kLimitReached);
  }
}

// The bound is generous for slow sanitizer builds: exponential work would not end at all.
void expect_quick(const std::string& text, const std::string& uri) {
  const auto uri_template = UriTemplate::parse(text);
  ASSERT_TRUE(uri_template.ok()) << text;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(uri_template->match(uri).has_value());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2)) << text;
}

TEST(UriTemplateBacktracking, StaysBounded) {
  const std::string letters(8'000, 'a');
  expect_quick("{a}{b}{c}{d}{e}x", letters);
  expect_quick("{+a}{+b}{+c}{+d}{+e}{+f}{+g}{+h}x", letters);
  expect_quick("{a*}{b*}{c*}{d*}x", std::string(8'000, ','));
  expect_quick("{.a*}{.b*}{.c*}{.d*}x", std::string(8'000, '.'));
  expect_quick("{/a*}{/b*}{/c*}{/d*}x", std::string(8'000, '/'));
  expect_quick("{+a}{?b}{?c}{?d}x", std::string(8'000, '?'));
  expect_quick("{+a}{+b}{&c*}{&d*}{&e*}x", std::string(8'000, '&'));
  expect_quick("{+a}{;c*}{;d*}{;e*}x", ";c" + std::string(8'000, ';'));
  std::string parameters = "a";
  while (parameters.size() < 8'000) parameters += "&k=v";
  expect_quick("{+a}{&c*}{&d*}{&e*}x", parameters);
  std::string many;
  for (int i = 0; i < 64; ++i) many += "{+v" + std::to_string(i) + "*}";
  expect_quick(many + "x", letters);
}

TEST(UriTemplateBacktracking, FindsALongMatch) {
  const auto uri_template = UriTemplate::parse("{a}{b}{c}{d}{e}x");
  const auto values = uri_template->match(std::string(8'000, 'a') + "x");
  ASSERT_TRUE(values.has_value());
  EXPECT_EQ(values->size(), 5U);
}

TEST(UriTemplateBacktracking, RefusesAUriLongerThanTheLimit) {
  EXPECT_FALSE(UriTemplate::parse("{+a}")->match(std::string(1'000'000, 'a')).has_value());
}

}  // namespace
}  // namespace sluice
