#include "sluice/exports/download_links.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::exports {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

class HandClock final : public Clock {
 public:
  Monotonic now() const override { return Monotonic(std::chrono::hours(1) + passed); }
  WallTime wall() const override { return WallTime(std::chrono::seconds(1'800'000'000) + passed); }
  std::chrono::seconds passed{0};
};

query::Snapshot snapshot_of(const std::string& id, const std::string& owner, std::chrono::seconds left) {
  query::Snapshot out;
  out.id = id;
  out.owner.id = owner;
  out.expires = Monotonic(std::chrono::hours(1) + left);
  return out;
}

// The two parameters that a link is checked by.
struct Signed {
  std::string expires;
  std::string signature;
};
Signed signed_part(const std::string& url) {
  const std::size_t exp = url.find("exp=") + 4;
  const std::size_t sig = url.find("&sig=");
  const std::string rest = url.substr(sig + 5);
  return {.expires = url.substr(exp, sig - exp), .signature = rest.substr(0, rest.find('&'))};
}

TEST(DownloadLinks, AreGoodUntilTheyExpire) {
  HandClock clock;
  const DownloadLinks links({.public_url = "https://d.example", .ttl = std::chrono::seconds(300)},
                            crypto::Signer(std::string(32, 'k')), clock);
  const query::Snapshot snapshot = snapshot_of("abc", "token:ada", std::chrono::seconds(1'000));
  const DownloadLinks::Link link = links.make(snapshot, FileFormat::kParquet, "a b");
  EXPECT_THAT(link.url, StartsWith("https://d.example/download/abc.parquet?exp=1800000300&sig="));
  EXPECT_THAT(link.url, EndsWith("&name=a%20b"));
  EXPECT_EQ(link.expires, WallTime(std::chrono::seconds(1'800'000'300)));
  const Signed part = signed_part(link.url);
  EXPECT_TRUE(links.verify(snapshot, part.expires, part.signature));
  clock.passed = std::chrono::seconds(299);
  EXPECT_TRUE(links.verify(snapshot, part.expires, part.signature));
  clock.passed = std::chrono::seconds(300);
  EXPECT_FALSE(links.verify(snapshot, part.expires, part.signature));
}

TEST(DownloadLinks, ExpireNoLaterThanTheHandle) {
  HandClock clock;
  const DownloadLinks links({.public_url = "https://d.example", .ttl = std::chrono::seconds(300)},
                            crypto::Signer(std::string(32, 'k')), clock);
  const DownloadLinks::Link link =
      links.make(snapshot_of("abc", "local", std::chrono::seconds(20)), FileFormat::kCsv, "");
  EXPECT_EQ(link.expires, WallTime(std::chrono::seconds(1'800'000'020)));
}

TEST(DownloadLinks, AreNotGoodForAnythingElse) {
  HandClock clock;
  const auto links_with = [&](char key) {
    return DownloadLinks({.public_url = "https://d.example", .ttl = std::chrono::seconds(300)},
                         crypto::Signer(std::string(32, key)), clock);
  };
  const DownloadLinks links = links_with('k');
  const query::Snapshot snapshot = snapshot_of("abc", "token:ada", std::chrono::seconds(1'000));
  const Signed part = signed_part(links.make(snapshot, FileFormat::kCsv, "").url);
  EXPECT_FALSE(links.verify(snapshot_of("abd", "token:ada", std::chrono::seconds(1'000)), part.expires,
                            part.signature));
  EXPECT_FALSE(links.verify(snapshot_of("abc", "token:bob", std::chrono::seconds(1'000)), part.expires,
                            part.signature));
  EXPECT_FALSE(links.verify(snapshot, "1800000301", part.signature));
  EXPECT_FALSE(links_with('x').verify(snapshot, part.expires, part.signature));
  for (const std::string expires :
       {"", "x", " 1800000300", "1800000300 ", "+1800000300", "01800000300", "-1"})
    EXPECT_FALSE(links.verify(snapshot, expires, part.signature)) << expires;
  for (std::size_t i = 0; i < part.signature.size(); ++i) {
    std::string altered = part.signature;
    altered[i] = altered[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(links.verify(snapshot, part.expires, altered)) << i;
  }
  EXPECT_FALSE(links.verify(snapshot, part.expires, ""));
}

}  // namespace
}  // namespace sluice::exports
