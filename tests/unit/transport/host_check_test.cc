#include "http/host_check.h"

#include <string>

#include <gtest/gtest.h>

namespace sluice::transport {
namespace {

HostRules rules(const HostSettings& settings) { return HostRules::make(settings).value(); }

HostRules loopback() { return rules({.host = "127.0.0.1", .address = "127.0.0.1", .port = 8765}); }

TEST(HostPort, ParsesWhatABrowserSends) {
  EXPECT_EQ(HostPort::parse("LocalHost:80"), (HostPort{.host = "localhost", .port = 80}));
  EXPECT_EQ(HostPort::parse("a-b.example_1.org"), (HostPort{.host = "a-b.example_1.org", .port = {}}));
  EXPECT_EQ(HostPort::parse("192.0.2.1:65535"),
            (HostPort{.host = "192.0.2.1", .port = 65535, .is_address = true}));
  EXPECT_EQ(HostPort::parse("[0:0::1]:1"), (HostPort{.host = "::1", .port = 1, .is_address = true}));
}

TEST(HostPort, RefusesEverythingElse) {
  for (const std::string text : {"", ":80", "localhost:", "localhost:65536", "localhost:8o",
                                 "localhost:80:80", "a b", "user@localhost", "localhost/x", "[::1", "[::1]x",
                                 "[::1%lo]", "[127.0.0.1]", "::1", "loc\xc3\xa4lhost", "localhost:-1"}) {
    EXPECT_EQ(HostPort::parse(text), std::nullopt) << text;
  }
  EXPECT_EQ(HostPort::parse(std::string(301, 'a')), std::nullopt);
}

TEST(V9DnsRebinding, LoopbackServesItsOwnNamesOnly) {
  const HostRules rules = loopback();
  for (const std::string host : {"localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:8765", "[::1]:8765"}) {
    EXPECT_TRUE(rules.allows_host(host)) << host;
  }
  for (const std::string host :
       {"evil.example", "evil.example:8765", "localhost.evil.example", "localhost.", "127.0.0.2", "127.1",
        "2130706433", "0.0.0.0", "192.168.1.10:8765", "", "localhost, evil.example"}) {
    EXPECT_FALSE(rules.allows_host(host)) << host;
  }
}

TEST(V9DnsRebinding, LoopbackAcceptsPagesOfItsOwnPortOnly) {
  const HostRules rules = loopback();
  for (const std::string origin : {"http://localhost:8765", "http://127.0.0.1:8765", "http://[::1]:8765"}) {
    EXPECT_TRUE(rules.allows_origin(origin, "localhost:8765")) << origin;
  }
  // Other programs of the same machine.
  for (const std::string origin : {"http://localhost:3000", "https://localhost", "http://127.0.0.1:6274",
                                   "http://[::1]:5", "https://localhost:8765", "http://localhost"}) {
    EXPECT_FALSE(rules.allows_origin(origin, "127.0.0.1:8765")) << origin;
  }
  EXPECT_TRUE(rules.allows_origin("http://localhost:9000", "localhost:9000")) << "through a tunnel";
  EXPECT_FALSE(rules.allows_origin("https://localhost", "localhost")) << "not the page of port 80";
  for (const std::string origin :
       {"null", "", "http://evil.example", "http://evil.example:8765", "http://localhost.evil.example",
        "file://", "http://localhost@evil.example", "http://localhost/path", "ftp://localhost",
        "localhost:8765", "http://", "chrome-extension://abcdef"}) {
    EXPECT_FALSE(rules.allows_origin(origin, "localhost:8765")) << origin;
  }
}

TEST(V9DnsRebinding, OneAddressServesItselfWithItsPort) {
  const HostRules rules =
      sluice::transport::rules({.host = "192.0.2.7", .address = "192.0.2.7", .port = 8080});
  EXPECT_TRUE(rules.allows_host("192.0.2.7:8080"));
  EXPECT_FALSE(rules.allows_host("192.0.2.7"));
  EXPECT_FALSE(rules.allows_host("192.0.2.7:80"));
  EXPECT_FALSE(rules.allows_host("192.0.2.8:8080"));
  EXPECT_FALSE(rules.allows_host("localhost:8080"));
  EXPECT_TRUE(rules.allows_origin("http://192.0.2.7:8080", "192.0.2.7:8080"));
  EXPECT_FALSE(rules.allows_origin("http://192.0.2.8:8080", "192.0.2.7:8080"));
}

TEST(V9DnsRebinding, TheDefaultPortMayBeLeftOut) {
  const HostRules plain = rules({.host = "192.0.2.7", .address = "192.0.2.7", .port = 80});
  EXPECT_TRUE(plain.allows_host("192.0.2.7"));
  const HostRules tls = rules({.host = "mcp.example.org", .address = "192.0.2.7", .port = 443, .tls = true});
  EXPECT_TRUE(tls.allows_host("192.0.2.7"));
  EXPECT_TRUE(tls.allows_host("mcp.example.org"));
  EXPECT_TRUE(tls.allows_origin("https://mcp.example.org", "mcp.example.org"));
  EXPECT_FALSE(tls.allows_origin("http://mcp.example.org", "192.0.2.7"));
}

TEST(V9DnsRebinding, AWildcardServesAddressesButNoNames) {
  const HostRules rules = sluice::transport::rules({.host = "0.0.0.0", .address = "0.0.0.0", .port = 8080});
  EXPECT_TRUE(rules.allows_host("10.0.0.5:8080"));
  EXPECT_TRUE(rules.allows_host("[2001:db8::1]"));
  EXPECT_TRUE(rules.allows_host("localhost:8080"));
  EXPECT_FALSE(rules.allows_host("evil.example:8080"));
  // A page from somebody's address is not a page of ours.
  EXPECT_TRUE(rules.allows_origin("http://10.0.0.5:8080", "10.0.0.5:8080"));
  EXPECT_FALSE(rules.allows_origin("http://203.0.113.66", "10.0.0.5:8080"));
  EXPECT_FALSE(rules.allows_origin("http://localhost:3000", "10.0.0.5:8080"));
}

TEST(V9DnsRebinding, AWildcardWithAListServesTheList) {
  const HostRules rules =
      sluice::transport::rules({.host = "::",
                                .address = "::",
                                .port = 8080,
                                .allowed_hosts = {"mcp.example.org", "Other.example.org:99"}});
  EXPECT_TRUE(rules.allows_host("mcp.example.org"));
  EXPECT_TRUE(rules.allows_host("mcp.example.org:1234"));
  EXPECT_TRUE(rules.allows_host("other.example.org:99"));
  EXPECT_FALSE(rules.allows_host("other.example.org"));
  EXPECT_FALSE(rules.allows_host("10.0.0.5:8080"));
  EXPECT_TRUE(rules.allows_host("127.0.0.1:8080"));
  EXPECT_TRUE(rules.allows_origin("https://mcp.example.org", "127.0.0.1:8080"));
}

TEST(V9DnsRebinding, ListedOriginsAreAccepted) {
  const HostRules rules =
      sluice::transport::rules({.host = "127.0.0.1",
                                .address = "127.0.0.1",
                                .port = 1,
                                .allowed_origins = {"https://App.example.org", "vscode-webview://abc"}});
  EXPECT_TRUE(rules.allows_origin("https://app.example.org", "localhost:1"));
  EXPECT_TRUE(rules.allows_origin("vscode-webview://abc", "localhost:1"));
  EXPECT_FALSE(rules.allows_origin("http://app.example.org", "localhost:1"));
  EXPECT_FALSE(rules.allows_origin("https://app.example.org:444", "localhost:1"));
}

TEST(HostRules, NamesASettingThatCouldNeverMatch) {
  const auto host = HostRules::make({.host = "", .address = "127.0.0.1", .allowed_hosts = {"*.example.org"}});
  EXPECT_EQ(host.error().message, "read an allowed host, name or name:port: *.example.org");
  const auto origin = HostRules::make({.host = "", .address = "127.0.0.1", .allowed_origins = {"*"}});
  EXPECT_EQ(origin.error().message, "read an allowed origin, scheme://host[:port]: *");
}

}  // namespace
}  // namespace sluice::transport
