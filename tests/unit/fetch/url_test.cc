#include "sluice/fetch/url.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/fetch/policy.h"

namespace sluice::fetch {
namespace {

std::string parsed(const std::string& text) {
  const Result<Url> url = Url::parse(text);
  return url.ok() ? url->text() : "refused: " + url.error().message;
}

TEST(Url, HasOneSpelling) {
  EXPECT_EQ(parsed("HTTPS://API.Example.ORG:443"), "https://api.example.org/");
  EXPECT_EQ(parsed("http://example.org:80/a?b=c#d"), "http://example.org/a?b=c");
  EXPECT_EQ(parsed("http://example.org:8080?x"), "http://example.org:8080/?x");
  EXPECT_EQ(parsed("http://[0:0:0:0:0:0:0:1]:8080/"), "http://[::1]:8080/");
  EXPECT_EQ(parsed("http://example.org/a/./b/../c"), "http://example.org/a/c");
  EXPECT_EQ(parsed("http://example.org/a/%2e%2E/%2e./../b"), "http://example.org/b");
  EXPECT_EQ(parsed("http://example.org/a/.."), "http://example.org/");
  EXPECT_EQ(parsed("http://example.org/\xC3\xA8 {x}"), "http://example.org/%C3%A8%20%7Bx%7D");
}

TEST(Url, ResolvesReferences) {
  const Url base = Url::parse("https://example.org/a/b?c=d").value();
  const auto resolved = [&](const std::string& text) { return base.resolve(text).value().text(); };
  EXPECT_EQ(resolved("e"), "https://example.org/a/e");
  EXPECT_EQ(resolved("/e"), "https://example.org/e");
  EXPECT_EQ(resolved("../e"), "https://example.org/e");
  EXPECT_EQ(resolved("?e=f"), "https://example.org/a/b?e=f");
  EXPECT_EQ(resolved("//other.org/x"), "https://other.org/x");
  EXPECT_EQ(resolved("http://other.org"), "http://other.org/");
  EXPECT_EQ(resolved(""), "https://example.org/a/b?c=d");
  EXPECT_FALSE(base.resolve("file:///etc/passwd").ok());
  EXPECT_FALSE(base.resolve("javascript:alert(1)").ok());
  EXPECT_FALSE(base.resolve("//user@other.org/").ok());
  EXPECT_FALSE(base.resolve("/\\evil.org").ok());
}

// Each form by which a filter has been led past.
class SsrfUrl : public ::testing::TestWithParam<const char*> {};

TEST_P(SsrfUrl, IsRefused) {
  const Result<Url> url = Url::parse(GetParam());
  ASSERT_FALSE(url.ok()) << GetParam() << " is " << url->text();
  EXPECT_EQ(url.error().code, "invalid_url");
}

INSTANTIATE_TEST_SUITE_P(OddAddresses, SsrfUrl,
                         ::testing::Values("http://2130706433/", "http://0x7f000001/", "http://0x7f.0.0.1/",
                                           "http://0177.0.0.1/", "http://017700000001/", "http://127.1/",
                                           "http://127.0.1/", "http://0/", "http://127.0.0.1./",
                                           "http://127.0.0.01/", "http://256.1.1.1/", "http://1.2.3.4.5/",
                                           "http://0x/", "http://foo.0x7f/", "http://evil.example.123/",
                                           "http://localhost./", "http://.localhost/", "http://a..b/"));
INSTANTIATE_TEST_SUITE_P(OddV6, SsrfUrl,
                         ::testing::Values("http://[::1%25lo]/", "http://[fe80::1%eth0]/", "http://[::1",
                                           "http://::1/", "http://[127.0.0.1]/", "http://[::1]x/",
                                           "http://[]/", "http://[::1]:/"));
INSTANTIATE_TEST_SUITE_P(Authority, SsrfUrl,
                         ::testing::Values("http://user@127.0.0.1/", "http://user:pw@example.org/",
                                           "http://example.org@127.0.0.1/", "http://@example.org/",
                                           "http://example.org\\@127.0.0.1/", "http:\\\\127.0.0.1/",
                                           "http://127.0.0.1\\.example.org/", "http://exa mple.org/",
                                           "http://example.org\r\nHost: x/", "http://example.org\t/",
                                           "http:///etc", "http://", "http:/example.org", "http:example.org",
                                           "http://example.org:99999/", "http://example.org:0/",
                                           "http://example.org:+80/", "http://example.org:80:80/",
                                           "http://exam%70le.org/", "http://example.org%00.evil.org/"));
INSTANTIATE_TEST_SUITE_P(Unicode, SsrfUrl,
                         ::testing::Values("http://127\xE3\x80\x82"
                                           "0\xE3\x80\x82"
                                           "0\xE3\x80\x82"
                                           "1/",
                                           "http://127\xEF\xBC\x8E"
                                           "0.0.1/",
                                           "http://\xE2\x91\xA0\xE2\x91\xA1\xE2\x91\xA6.0.0.1/",
                                           "http://\xEF\xBD\x8Cocalhost/",
                                           "http://b\xC3\xBC"
                                           "cher.example/"));
INSTANTIATE_TEST_SUITE_P(Schemes, SsrfUrl,
                         ::testing::Values("file:///etc/passwd", "ftp://example.org/",
                                           "gopher://127.0.0.1:6379/_x", "dict://127.0.0.1/",
                                           "data:text/plain,x", "javascript:1", "//example.org/", "",
                                           "example.org", "httpss://example.org", "ws://example.org/"));

TEST(SsrfPolicy, LiteralAddressesAreJudgedBeforeAnythingIsConnected) {
  for (const char* text : {"http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/latest/meta-data/",
                           "http://[::ffff:169.254.169.254]/", "http://[64:ff9b::7f00:1]/"}) {
    const Status status = check_url({}, Url::parse(text).value());
    ASSERT_FALSE(status.ok()) << text;
    EXPECT_EQ(status.error().code, "address_refused");
  }
  EXPECT_TRUE(check_url({.allow_private = true}, Url::parse("http://127.0.0.1/").value()).ok());
  EXPECT_FALSE(check_url({.allow_private = true}, Url::parse("http://169.254.169.254/").value()).ok());
}

TEST(SsrfPolicy, OnlyWhatIsAllowedIsReached) {
  const Policy policy{.allowed = {"https://api.example.org", "data.example.org"}};
  const auto code = [&](const char* text) {
    const Status status = check_url(policy, Url::parse(text).value());
    return status.ok() ? "ok" : status.error().code;
  };
  EXPECT_EQ(code("https://api.example.org/x"), "ok");
  EXPECT_EQ(code("https://API.example.org:443/x"), "ok");
  EXPECT_EQ(code("http://api.example.org/x"), "origin_refused");
  EXPECT_EQ(code("https://api.example.org:8443/x"), "origin_refused");
  EXPECT_EQ(code("http://data.example.org:8080/x"), "ok");
  EXPECT_EQ(code("https://evil-api.example.org/"), "origin_refused");
  EXPECT_EQ(code("https://api.example.org.evil.org/"), "origin_refused");
  EXPECT_EQ(code("https://example.org/"), "origin_refused");
}

TEST(SsrfPolicy, AProxyNeedsTheHostsThatAreMeant) {
  EXPECT_EQ(check_policy({.proxy = "http://proxy.example.org:3128"}).error().code, "invalid_policy");
  EXPECT_TRUE(check_policy({.allowed = {"a.example.org"}, .proxy = "http://proxy.example.org:3128"}).ok());
  EXPECT_FALSE(check_policy({.allowed = {"a.example.org"}, .proxy = "socks5://proxy"}).ok());
  EXPECT_FALSE(check_policy({.allowed = {"http://user@x"}}).ok());
}

TEST(VerboseErrorUrl, MessagesNameTheOriginAlone) {
  const Url url = Url::parse("https://api.example.org/secret-path?token=secret").value();
  EXPECT_EQ(url.origin(), "https://api.example.org");
  const Status status = check_url({.allowed = {"other.org"}}, url);
  EXPECT_THAT(status.error().message, ::testing::Not(::testing::HasSubstr("secret")));
}

}  // namespace
}  // namespace sluice::fetch
