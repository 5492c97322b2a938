#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sluice/base/uri_template.h"

namespace sluice {
namespace {

struct Example {
  const char* uri_template;
  const char* expansion;
};

// RFC 6570, section 3.2: the variables that its examples share.
TemplateValues rfc_values() {
  return {
      {"count", TemplateList{"one", "two", "three"}},
      {"dom", TemplateList{"example", "com"}},
      {"dub", "me/too"},
      {"hello", "Hello World!"},
      {"half", "50%"},
      {"var", "value"},
      {"who", "fred"},
      {"base", "http://example.com/home/"},
      {"path", "/foo/bar"},
      {"list", TemplateList{"red", "green", "blue"}},
      {"keys", TemplatePairs{{"semi", ";"}, {"dot", "."}, {"comma", ","}}},
      {"v", "6"},
      {"x", "1024"},
      {"y", "768"},
      {"empty", ""},
      {"empty_keys", TemplatePairs{}},
      // "undef" is left undefined.
  };
}

void check_expansion(const Example& example) {
  SCOPED_TRACE(example.uri_template);
  const auto uri_template = UriTemplate::parse(example.uri_template);
  ASSERT_TRUE(uri_template.ok()) << uri_template.error().message;
  const auto uri = uri_template->expand(rfc_values());
  ASSERT_TRUE(uri.ok()) << uri.error().message;
  EXPECT_EQ(*uri, example.expansion);
}

// Section 1.2, levels 1 to 4.
TEST(UriTemplateExpand, GivesTheExamplesOfSection1_2) {
  const Example cases[] = {{"{var}", "value"},
                           {"{hello}", "Hello%20World%21"},
                           {"{+var}", "value"},
                           {"{+hello}", "Hello%20World!"},
                           {"{+path}/here", "/foo/bar/here"},
                           {"here?ref={+path}", "here?ref=/foo/bar"},
                           {"X{#var}", "X#value"},
                           {"X{#hello}", "X#Hello%20World!"},
                           {"map?{x,y}", "map?1024,768"},
                           {"{x,hello,y}", "1024,Hello%20World%21,768"},
                           {"{+x,hello,y}", "1024,Hello%20World!,768"},
                           {"{+path,x}/here", "/foo/bar,1024/here"},
                           {"{#x,hello,y}", "#1024,Hello%20World!,768"},
                           {"{#path,x}/here", "#/foo/bar,1024/here"},
                           {"X{.var}", "X.value"},
                           {"X{.x,y}", "X.1024.768"},
                           {"{/var}", "/value"},
                           {"{/var,x}/here", "/value/1024/here"},
                           {"{;x,y}", ";x=1024;y=768"},
                           {"{;x,y,empty}", ";x=1024;y=768;empty"},
                           {"{?x,y}", "?x=1024&y=768"},
                           {"{?x,y,empty}", "?x=1024&y=768&empty="},
                           {"?fixed=yes{&x}", "?fixed=yes&x=1024"},
                           {"{&x,y,empty}", "&x=1024&y=768&empty="},
                           {"{var:3}", "val"},
                           {"{var:30}", "value"},
                           {"{list}", "red,green,blue"},
                           {"{list*}", "red,green,blue"},
                           {"{keys}", "semi,%3B,dot,.,comma,%2C"},
                           {"{keys*}", "semi=%3B,dot=.,comma=%2C"},
                           {"{+path:6}here", "/foo/bhere"},
                           {"{+list}", "red,green,blue"},
                           {"{+list*}", "red,green,blue"},
                           {"{+keys}", "semi,;,dot,.,comma,,"},
                           {"{+keys*}", "semi=;,dot=.,comma=,"},
                           {"{#path:6}here", "#/foo/bhere"},
                           {"{#list}", "#red,green,blue"},
                           {"{#list*}", "#red,green,blue"},
                           {"{#keys}", "#semi,;,dot,.,comma,,"},
                           {"{#keys*}", "#semi=;,dot=.,comma=,"},
                           {"X{.var:3}", "X.val"},
                           {"X{.list}", "X.red,green,blue"},
                           {"X{.list*}", "X.red.green.blue"},
                           {"X{.keys}", "X.semi,%3B,dot,.,comma,%2C"},
                           {"X{.keys*}", "X.semi=%3B.dot=..comma=%2C"}};
  for (const Example& each : cases) check_expansion(each);
}

TEST(UriTemplateExpand, GivesTheExamplesOfSection1_2_PathToQuery) {
  const Example cases[] = {{"{/var:1,var}", "/v/value"},
                           {"{/list}", "/red,green,blue"},
                           {"{/list*}", "/red/green/blue"},
                           {"{/list*,path:4}", "/red/green/blue/%2Ffoo"},
                           {"{/keys}", "/semi,%3B,dot,.,comma,%2C"},
                           {"{/keys*}", "/semi=%3B/dot=./comma=%2C"},
                           {"{;hello:5}", ";hello=Hello"},
                           {"{;list}", ";list=red,green,blue"},
                           {"{;list*}", ";list=red;list=green;list=blue"},
                           {"{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"},
                           {"{;keys*}", ";semi=%3B;dot=.;comma=%2C"},
                           {"{?var:3}", "?var=val"},
                           {"{?list}", "?list=red,green,blue"},
                           {"{?list*}", "?list=red&list=green&list=blue"},
                           {"{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"},
                           {"{?keys*}", "?semi=%3B&dot=.&comma=%2C"},
                           {"{&var:3}", "&var=val"},
                           {"{&list}", "&list=red,green,blue"},
                           {"{&list*}", "&list=red&list=green&list=blue"},
                           {"{&keys}", "&keys=semi,%3B,dot,.,comma,%2C"},
                           {"{&keys*}", "&semi=%3B&dot=.&comma=%2C"}};
  for (const Example& each : cases) check_expansion(each);
}

TEST(UriTemplateExpand, GivesTheExamplesOfSection3_2_1) {
  const Example cases[] = {{"{count}", "one,two,three"},
                           {"{count*}", "one,two,three"},
                           {"{/count}", "/one,two,three"},
                           {"{/count*}", "/one/two/three"},
                           {"{;count}", ";count=one,two,three"},
                           {"{;count*}", ";count=one;count=two;count=three"},
                           {"{?count}", "?count=one,two,three"},
                           {"{?count*}", "?count=one&count=two&count=three"},
                           {"{&count*}", "&count=one&count=two&count=three"}};
  for (const Example& each : cases) check_expansion(each);
}

TEST(UriTemplateExpand, GivesTheExamplesOfSection3_2_2_Simple) {
  const Example cases[] = {{"{var}", "value"},
                           {"{hello}", "Hello%20World%21"},
                           {"{half}", "50%25"},
                           {"O{empty}X", "OX"},
                           {"O{undef}X", "OX"},
                           {"{x,y}", "1024,768"},
                           {"{x,hello,y}", "1024,Hello%20World%21,768"},
                           {"?{x,empty}", "?1024,"},
                           {"?{x,undef}", "?1024"},
                           {"?{undef,y}", "?768"},
                           {"{var:3}", "val"},
                           {"{var:30}", "value"},
                           {"{list}", "red,green,blue"},
                           {"{list*}", "red,green,blue"},
                           {"{keys}", "semi,%3B,dot,.,comma,%2C"},
                           {"{keys*}", "semi=%3B,dot=.,comma=%2C"}};
  for (const Example& each : cases) check_expansion(each);
}

TEST(UriTemplateExpand, GivesTheExamplesOfSection3_2_3_Reserved) {
  const Example cases[] = {{"{+var}", "value"},
                           {"{+hello}", "Hello%20World!"},
                           {"{+half}", "50%25"},
                           {"{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"},
                           {"{+base}index", "http://example.com/home/index"},
                           {"O{+empty}X", "OX"},
                           {"O{+undef}X", "OX"},
                           {"{+path}/here", "/foo/bar/here"},
                           {"here?ref={+path}", "here?ref=/foo/bar"},
                           {"up{+path}{var}/here", "up/foo/barvalue/here"},
                           {"{+x,hello,y}", "1024,Hello%20World!,768"},
                           {"{+path,x}/here", "/foo/bar,1024/here"},
                           {"{+path:6}here", "/foo/bhere"},
                           {"{+list}", "red,green,blue"},
                           {"{+list*}", "red,green,blue"},
                           {"{+keys}", "semi,;,dot,.,comma,,"},
                           {"{+keys*}", "semi=;,dot=.,comma=,"}};
  for (const Example& each : cases) check_expansion(each);
}

TEST(UriTemplateExpand, GivesTheExamplesOfSection3_2_4_Fragment) {
  const Example cases[] = {{"{#var}", "#value"},
                           {"{#hello}", "#Hello%20World!"},
                           {"{#half}", "#50%25"},
                           {"foo{#empty}", "foo#"},
                           {"foo{#undef}", "foo"},
                           {"{#x,hello,y}", "#1024,Hello%20World!,768"},
                           {"{#path,x}/here", "#/foo/bar,1024/here"},
                           {"{#path:6}here", "#/foo/bhere"},
                           {"{#list}", "#red,green,blue"},
                           {"{#list*}", "#red,green,blue"},
                           {"{#keys}", "#semi,;,dot,.,comma,,"},
                           {"{#keys*}", "#semi=;,dot=.,comma=,"}};
  for (const Example& each : cases) check_expansion(each);
}

TEST(UriTemplateExpand, GivesTheExamplesOfSection3_2_5_Label) {
  const Example cases[] = {{"{.who}", ".fred"},
                           {"{.who,who}", ".fred.fred"},
                           {"{.half,who}", ".50%25.fred"},
                           {"www{.dom*}", "www.example.com"},
                           {"X{.var}", "X.value"},
                           {"X{.empty}", "X."},
                           {"X{.undef}", "X"},
                           {"X{.var:3}", "X.val"},
                           {"X{.list}", "X.red,green,blue"},
                           {"X{.list*}", "X.red.green.blue"},
                           {"X{.keys}", "X.semi,%3B,dot,.,comma,%2C"},
                           {"X{.keys*}", "X.semi=%3B.dot=..comma=%2C"},
                           {"X{.empty_keys}", "X"},
                           {"X{.empty_keys*}", "X"}};
  for (const Example& each : cases) check_expansion(each);
}

TEST(UriTemplateExpand, GivesTheExamplesOfSection3_2_6_Path) {
  const Example cases[] = {{"{/who}", "/fred"},
                           {"{/who,who}", "/fred/fred"},
                           {"{/half,who}", "/50%25/fred"},
                           {"{/who,dub}", "/fred/me%2Ftoo"},
                           {"{/var}", "/value"},
                           {"{/var,empty}", "/value/"},
                           {"{/var,undef}", "/value"},
                           {"{/var,x}/here", "/value/1024/here"},
                           {"{/var:1,var}", "/v/value"},
                           {"{/list}", "/red,green,blue"},
                           {"{/list*}", "/red/green/blue"},
                           {"{/list*,path:4}", "/red/green/blue/%2Ffoo"},
                           {"{/keys}", "/semi,%3B,dot,.,comma,%2C"},
                           {"{/keys*}", "/semi=%3B/dot=./comma=%2C"}};
  for (const Example& each : cases) check_expansion(each);
}

TEST(UriTemplateExpand, GivesTheExamplesOfSection3_2_7_Parameter) {
  const Example cases[] = {{"{;who}", ";who=fred"},
                           {"{;half}", ";half=50%25"},
                           {"{;empty}", ";empty"},
                           {"{;v,empty,who}", ";v=6;empty;who=fred"},
                           {"{;v,bar,who}", ";v=6;who=fred"},
                           {"{;x,y}", ";x=1024;y=768"},
                           {"{;x,y,empty}", ";x=1024;y=768;empty"},
                           {"{;x,y,undef}", ";x=1024;y=768"},
                           {"{;hello:5}", ";hello=Hello"},
                           {"{;list}", ";list=red,green,blue"},
                           {"{;list*}", ";list=red;list=green;list=blue"},
                           {"{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"},
                           {"{;keys*}", ";semi=%3B;dot=.;comma=%2C"}};
  for (const Example& each : cases) check_expansion(each);
}

TEST(UriTemplateExpand, GivesTheExamplesOfSection3_2_8_Query) {
  const Example cases[] = {{"{?who}", "?who=fred"},
                           {"{?half}", "?half=50%25"},
                           {"{?x,y}", "?x=1024&y=768"},
                           {"{?x,y,empty}", "?x=1024&y=768&empty="},
                           {"{?x,y,undef}", "?x=1024&y=768"},
                           {"{?var:3}", "?var=val"},
                           {"{?list}", "?list=red,green,blue"},
                           {"{?list*}", "?list=red&list=green&list=blue"},
                           {"{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"},
                           {"{?keys*}", "?semi=%3B&dot=.&comma=%2C"}};
  for (const Example& each : cases) check_expansion(each);
}

TEST(UriTemplateExpand, GivesTheExamplesOfSection3_2_9_Continuation) {
  const Example cases[] = {{"{&who}", "&who=fred"},
                           {"{&half}", "&half=50%25"},
                           {"?fixed=yes{&x}", "?fixed=yes&x=1024"},
                           {"{&x,y,empty}", "&x=1024&y=768&empty="},
                           {"{&x,y,undef}", "&x=1024&y=768"},
                           {"{&var:3}", "&var=val"},
                           {"{&list}", "&list=red,green,blue"},
                           {"{&list*}", "&list=red&list=green&list=blue"},
                           {"{&keys}", "&keys=semi,%3B,dot,.,comma,%2C"},
                           {"{&keys*}", "&semi=%3B&dot=.&comma=%2C"}};
  for (const Example& each : cases) check_expansion(each);
}

std::string expand(const char* text, const TemplateValues& values) {
  const auto uri = UriTemplate::parse(text)->expand(values);
  return uri.ok() ? *uri : "error: " + uri.error().message;
}

TEST(UriTemplateExpand, CountsAPrefixInCharactersNotBytes) {
  EXPECT_EQ(expand("{name:2}", {{"name", "éàü"}}), "%C3%A9%C3%A0");
}

TEST(UriTemplateExpand, KeepsAnEscapeOnlyInReservedExpansion) {
  EXPECT_EQ(expand("{a}", {{"a", "x%20y"}}), "x%2520y");
  EXPECT_EQ(expand("{+a}", {{"a", "x%20y"}}), "x%20y");
  EXPECT_EQ(expand("{+a}", {{"a", "x%2"}}), "x%252");
}

TEST(UriTemplateExpand, EncodesLiteralsOutsideAscii) {
  EXPECT_EQ(expand("città/{a}", {{"a", "1"}}), "citt%C3%A0/1");
  EXPECT_EQ(expand("a%20b'c", {}), "a%20b'c");
}

TEST(UriTemplateExpand, WritesEmptyItemsOfListsAndSets) {
  EXPECT_EQ(expand("{?list*}", {{"list", TemplateList{"", "a"}}}), "?list=&list=a");
  EXPECT_EQ(expand("{;list*}", {{"list", TemplateList{"", "a"}}}), ";list;list=a");
  EXPECT_EQ(expand("{;keys*}", {{"keys", TemplatePairs{{"a", ""}}}}), ";a");
  EXPECT_EQ(expand("{keys*}", {{"keys", TemplatePairs{{"a", ""}}}}), "a=");
  EXPECT_EQ(expand("{?list}", {{"list", TemplateList{}}}), "");
}

TEST(UriTemplateExpand, RefusesAPrefixOfAList) {
  const auto uri = UriTemplate::parse("{list:3}")->expand({{"list", TemplateList{"a"}}});
  ASSERT_FALSE(uri.ok());
  EXPECT_EQ(uri.error().kind, ErrorKind::kInvalidInput);
}

TEST(UriTemplateExpand, RefusesAUriLongerThanTheLimit) {
  const auto uri = UriTemplate::parse("{a}")->expand({{"a", std::string(1'000'000, 'x')}});
  ASSERT_FALSE(uri.ok());
  EXPECT_EQ(uri.error().kind, ErrorKind::kLimitReached);
}

TEST(UriTemplateParse, NamesVariablesInOrderOfFirstAppearance) {
  const auto uri_template = UriTemplate::parse("{b}/{a,b}{?c.d,%41*}");
  ASSERT_TRUE(uri_template.ok());
  EXPECT_EQ(uri_template->variable_names(), (std::vector<std::string>{"b", "a", "c.d", "%41"}));
}

}  // namespace
}  // namespace sluice
