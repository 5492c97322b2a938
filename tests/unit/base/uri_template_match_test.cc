#include <array>
#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sluice/base/uri_template.h"

namespace sluice {
namespace {

struct Match {
  const char* uri_template;
  const char* uri;
  TemplateValues values;
};

void check_match(const Match& match) {
  SCOPED_TRACE(std::string(match.uri_template) + " against " + match.uri);
  const auto uri_template = UriTemplate::parse(match.uri_template);
  ASSERT_TRUE(uri_template.ok()) << uri_template.error().message;
  const auto values = uri_template->match(match.uri);
  ASSERT_TRUE(values.has_value());
  EXPECT_EQ(*values, match.values);
}

TEST(UriTemplateMatches, Simple) {
  const Match cases[] = {{"", "", {}},
                         {"a://b", "a://b", {}},
                         {"u://{id}", "u://7", {{"id", "7"}}},
                         {"u://{id}/profile", "u://a%2Fb/profile", {{"id", "a/b"}}},
                         {"u://{id}", "u://a@b:c;d=e,f", {{"id", "a@b:c;d=e,f"}}},
                         {"u://{id}", "u://%C3%A8", {{"id", "è"}}},
                         {"u://{id}", "u://è", {{"id", "è"}}},
                         {"{a}{b}", "eè", {{"a", "e"}, {"b", "è"}}},
                         {"{a}{b}", "e%c3%a8", {{"a", "e"}, {"b", "è"}}},
                         {"{a}-{b}", "x-y-z", {{"a", "x-y"}, {"b", "z"}}},
                         {"{y}-{m}.csv", "2024-05.csv", {{"y", "2024"}, {"m", "05"}}},
                         {"{x,y}", "1,2", {{"x", "1"}, {"y", "2"}}},
                         {"{x,y}", "1", {{"x", "1"}}},
                         {"{x,y}", "1,", {{"x", "1"}, {"y", ""}}},
                         {"{x}/{x}", "a/a", {{"x", "a"}}},
                         {"{id:2}/{id}", "ab/abcd", {{"id", "abcd"}}},
                         {"{id}/{id:2}", "abcd/ab", {{"id", "abcd"}}},
                         {"{id:1}/{id:3}", "a/abc", {{"id", "abc"}}},
                         {"{id:3}", "è%C3%A8", {{"id", "èè"}}},
                         {"{l*}", "a,b%2Cc", {{"l", TemplateList{"a", "b,c"}}}},
                         {"{k*}", "a=1,b=%3D", {{"k", TemplatePairs{{"a", "1"}, {"b", "="}}}}}};
  for (const Match& each : cases) check_match(each);
}

TEST(UriTemplateMatches, Reserved) {
  const Match cases[] = {
      {"file:///{+path}", "file:///a/b%20c.txt", {{"path", "a/b c.txt"}}},
      {"{+base}/{name}", "http://h/a/b?c#d/e", {{"base", "http://h/a/b?c#d"}, {"name", "e"}}},
      {"f:{+path}{?page}", "f:a/b?page=2", {{"path", "a/b"}, {"page", "2"}}},
      {"f:{+path}{?page}", "f:a/b?other=2", {{"path", "a/b?other=2"}}},
      {"f:{+path}{#at}", "f:a/b#c#d", {{"path", "a/b"}, {"at", "c#d"}}},
      {"f:{+path}{.type}", "f:v1.2/b.csv", {{"path", "v1.2/b"}, {"type", "csv"}}},
      {"{+path,x}/here", "/foo/bar,1024/here", {{"path", "/foo/bar"}, {"x", "1024"}}},
      {"x{#frag}", "x", {}},
      {"x{#frag}", "x#", {{"frag", ""}}},
      {"x{#frag}", "x#a/b?c", {{"frag", "a/b?c"}}}};
  for (const Match& each : cases) check_match(each);
}

TEST(UriTemplateMatches, LabelsAndPaths) {
  const Match cases[] = {
      {"X{.x}", "X", {}},
      {"X{.x}", "X.", {{"x", ""}}},
      {"X{.x}", "X.tar.gz", {{"x", "tar.gz"}}},
      {"X{.x,y}", "X.a.b", {{"x", "a"}, {"y", "b"}}},
      {"{name}{.type}", "a.csv", {{"name", "a"}, {"type", "csv"}}},
      {"www{.dom*}", "www.example.com", {{"dom", TemplateList{"example", "com"}}}},
      {"r{/a,b}", "r", {}},
      {"r{/a,b}", "r/1", {{"a", "1"}}},
      {"r{/a,b}", "r/1/2", {{"a", "1"}, {"b", "2"}}},
      {"r{/a,b}", "r//2", {{"a", ""}, {"b", "2"}}},
      {"{/who,dub}", "/fred/me%2Ftoo", {{"who", "fred"}, {"dub", "me/too"}}},
      {"{/var:1,var}", "/v/value", {{"var", "value"}}},
      {"r{/list*}", "r/a/b%2Fc/d", {{"list", TemplateList{"a", "b/c", "d"}}}},
      {"r{/list*}", "r", {}},
      {"r{/list*}", "r/", {{"list", TemplateList{""}}}},
      {"r{/list*}/end", "r/a/b/end", {{"list", TemplateList{"a", "b"}}}},
      {"{/list*,path:4}", "/red/green/%2Ffoo", {{"list", TemplateList{"red", "green"}}, {"path", "/foo"}}},
      {"{/keys*}", "/a=1/b=2", {{"keys", TemplatePairs{{"a", "1"}, {"b", "2"}}}}}};
  for (const Match& each : cases) check_match(each);
}

TEST(UriTemplateMatches, Parameters) {
  const Match cases[] = {
      {"s{?a,b}", "s", {}},
      {"s{?a,b}", "s?a=1&b=2", {{"a", "1"}, {"b", "2"}}},
      {"s{?a,b}", "s?b=2&a=1", {{"a", "1"}, {"b", "2"}}},
      {"s{?a,b}", "s?b=2", {{"b", "2"}}},
      {"s{?a}", "s?a=", {{"a", ""}}},
      {"s{?a}", "s?a", {{"a", ""}}},
      {"s{?a}", "s?a=b=c/d?e", {{"a", "b=c/d?e"}}},
      {"s{?a}", "s?a=x%26b%3D1", {{"a", "x&b=1"}}},
      {"s?fixed=1{&c,d}", "s?fixed=1&d=2&c=1", {{"c", "1"}, {"d", "2"}}},
      {"s?fixed=1{&c}", "s?fixed=1", {}},
      {"s{?a}{&b}", "s?a=1&b=2", {{"a", "1"}, {"b", "2"}}},
      {"s{?a}{&a}", "s?a=1&a=1", {{"a", "1"}}},
      {"s{?a}{#f}", "s?a=1#x", {{"a", "1"}, {"f", "x"}}},
      {"s{?l*}", "s?l=a&l=b", {{"l", TemplateList{"a", "b"}}}},
      {"s{?k*}", "s?x=1&y=%26", {{"k", TemplatePairs{{"x", "1"}, {"y", "&"}}}}},
      {"s{?a,k*}", "s?x=1&a=2&y=3", {{"a", "2"}, {"k", TemplatePairs{{"x", "1"}, {"y", "3"}}}}},
      {"s{;p,q}", "s;q=2;p", {{"p", ""}, {"q", "2"}}},
      {"s{;p}", "s", {}},
      {"s{;p}/t", "s;p=1/t", {{"p", "1"}}},
      {"{id}{;p}", "7;p=1", {{"id", "7"}, {"p", "1"}}}};
  for (const Match& each : cases) check_match(each);
}

TEST(UriTemplateMatches, Literals) {
  const Match cases[] = {{"città/{a}", "citt%C3%A0/1", {{"a", "1"}}},
                         {"città/{a}", "citt%c3%a0/1", {{"a", "1"}}},
                         {"città/{a}", "città/1", {{"a", "1"}}}};
  for (const Match& each : cases) check_match(each);
}

struct Mismatch {
  const char* uri_template;
  std::string_view uri;
};

void check_mismatch(const Mismatch& mismatch) {
  const auto uri_template = UriTemplate::parse(mismatch.uri_template);
  ASSERT_TRUE(uri_template.ok()) << uri_template.error().message;
  EXPECT_FALSE(uri_template->match(mismatch.uri).has_value())
      << mismatch.uri_template << " against " << mismatch.uri;
}

TEST(UriTemplateDoesNotMatch, Shapes) {
  const Mismatch cases[] = {{"", "a"},
                            {"a", ""},
                            {"u://{id}", "u://"},
                            {"u://{id}", "u://a/b"},
                            {"u://{id}", "u://a?b"},
                            {"u://{id}", "u://a#b"},
                            {"u://{id}", "U://a"},
                            {"u://{id}/x", "u://7/xy"},
                            {"u://{id}/x", "u:///x"},
                            {"f:{+path}", "f:"},
                            {"{x,y}", "1,2,3"},
                            {"{x}/{x}", "a/b"},
                            {"{id:2}/{id}", "xb/abcd"},
                            {"{id:2}", "abc"},
                            {"X{.x}", "X.a/b"},
                            {"r{/a}", "r/1/2"},
                            {"r{/a}", "rx"},
                            {"a%2Fb", "a/b"},
                            {"a/b", "a%2Fb"}};
  for (const Mismatch& each : cases) check_mismatch(each);
}

TEST(UriTemplateDoesNotMatch, Parameters) {
  const Mismatch cases[] = {{"s{?a}", "s?"},        {"s{?a}", "s?b=1"},  {"s{?a}", "s?a=1&b=2"},
                            {"s{?a}", "s?a=1&a=1"}, {"s{?a}", "s?a=1&"}, {"s{?a}", "s&a=1"},
                            {"s{?a}", "s?a=1#x"},   {"s{?a}", "s?A=1"},  {"s{?a}{&a}", "s?a=1&a=2"},
                            {"s{;p}", "s;p=1/2"},   {"s{;p}", "s;q"},    {"s{?l*}", "s?=1"}};
  for (const Mismatch& each : cases) check_mismatch(each);
}

TEST(UriTemplateDoesNotMatch, Bytes) {
  const Mismatch cases[] = {{"{a}", "%"},
                            {"{a}", "%2"},
                            {"{a}", "%zz"},
                            {"{a}", "x%"},
                            {"{+a}", "x%2/"},
                            {"{a}", "%FF"},
                            {"{a}", "%C3"},
                            {"{a}", "%C3x"},
                            {"{a}", "\xc3"},
                            {"{a}", "\xff"},
                            {"{a}", "%C0%AF"},
                            {"{a}", "%ED%A0%80"},
                            {"{a}{b}", "%C3%A8"},
                            {"s{?a}", "s?a=%2"},
                            {"s{?a}", "s?a=%FF"},
                            {"s{?l*}", "s?%=1"},
                            {"{a}", "a b"},
                            {"{+a}", "a\nb"},
                            {"{+a}", std::string_view("a\0b", 3)}};
  for (const Mismatch& each : cases) check_mismatch(each);
}

// Draws values of one to twelve characters, with everything in them that has a meaning in a URI or a
// template.
class RandomValues {
 public:
  std::string text() {
    static constexpr std::array kCharacters = {
        "a", "Z", "0", "-",  ".", "_",  "~", "/",  "?", "#", "&", "=", ";", ",", ":", "@",  "+",   "%",
        " ", "{", "}", "\"", "è", "日", "𝄞", "\n", "*", "!", "[", "]", "(", ")", "'", "\\", "%2F", "%41"};
    std::string value;
    const std::size_t length = 1 + random_() % 12;
    for (std::size_t i = 0; i < length; ++i) value += kCharacters[random_() % kCharacters.size()];
    return value;
  }
  bool coin() { return random_() % 2 == 0; }
  std::size_t below(std::size_t bound) { return random_() % bound; }

 private:
  std::mt19937 random_{20240607};  // Fixed: a failure must be repeatable.
};

// Templates whose expansion says which value is which: operators that encode the separators behind them.
TEST(UriTemplateProperty, MatchUndoesExpandForText) {
  RandomValues random;
  for (const char* text : {"u://{a}/{b}", "u://{a}/{b}{?c,d}", "u://h{/a,b}?z=1{&c}",
                           "u://{a}{;b,c}/x{/d}{#e}", "{a,b,c}", "s{?a,b,c,d}", "u:{a}{?b}{&c}", "{a}!{b}"}) {
    const auto uri_template = UriTemplate::parse(text);
    ASSERT_TRUE(uri_template.ok());
    for (int round = 0; round < 500; ++round) {
      TemplateValues values;
      for (const std::string& name : uri_template->variable_names()) values[name] = random.text();
      if (values.contains("e"))
        values["e"] = "fragment";  // `{#e}` keeps escapes, so "%41" would come back as "A".
      const std::string uri = *uri_template->expand(values);
      EXPECT_EQ(uri_template->match(uri), std::optional(values)) << text << " " << uri;
    }
  }
}

TEST(UriTemplateProperty, MatchUndoesExpandWithUndefinedParameters) {
  RandomValues random;
  const auto uri_template = UriTemplate::parse("u://{id}{?a,b,c}{#d}");
  for (int round = 0; round < 1000; ++round) {
    TemplateValues values{{"id", random.text()}};
    for (const char* name : {"a", "b", "c"}) {
      if (random.coin()) values[name] = random.text();
    }
    const std::string uri = *uri_template->expand(values);
    EXPECT_EQ(uri_template->match(uri), std::optional(values)) << uri;
  }
}

TEST(UriTemplateProperty, MatchUndoesExpandForListsAndSets) {
  RandomValues random;
  for (const char* text :
       {"u://{v*}", "u://h{/v*}", "u://h{/v*}/", "u://h{?v*}", "u://h{;v*}", "u://h?z=1{&v*}"}) {
    const auto uri_template = UriTemplate::parse(text);
    for (int round = 0; round < 500; ++round) {
      TemplateList list;
      TemplatePairs pairs;
      for (std::size_t items = 1 + random.below(5); items > 0; --items) {
        list.push_back(random.text());
        pairs.emplace_back("k" + random.text(), random.text());
      }
      for (const TemplateValues& values : {TemplateValues{{"v", list}}, TemplateValues{{"v", pairs}}}) {
        const std::string uri = *uri_template->expand(values);
        EXPECT_EQ(uri_template->match(uri), std::optional(values)) << text << " " << uri;
      }
    }
  }
}

// These have several readings, so the values may differ; one reading is always found.
TEST(UriTemplateProperty, MatchesWhatItExpands) {
  RandomValues random;
  for (const char* text : {"u://{a}{/b*}{?c}", "{+a}/{b}{.c}", "{a}{b}{/c,d}{#e}"}) {
    const auto uri_template = UriTemplate::parse(text);
    for (int round = 0; round < 500; ++round) {
      TemplateValues values;
      for (const std::string& name : uri_template->variable_names()) values[name] = random.text();
      const std::string uri = *uri_template->expand(values);
      EXPECT_TRUE(uri_template->match(uri).has_value()) << text << " " << uri;
    }
  }
}

}  // namespace
}  // namespace sluice
