// URIs of upstreams, there and back.

#include "sluice/gateway/namespaced_uri.h"

#include <gmock/gmock.h>

#include "sluice/base/uri.h"
#include "sluice/base/uri_template.h"

namespace sluice::gateway {
namespace {

TEST(UriSpace, IsReversible) {
  const UriSpace space("fs");
  for (const std::string uri :
       {"file:///data/config.json", "db://users/1?x=2#y", "ui://widget/index.html", "artifact://x_1",
        "urn:isbn:1", "a+b:c", "raw:x", "not a uri", "", "ünï", "x\ny", "ui://", "http://[::1]/"}) {
    const std::optional<std::string> renamed = space.encode(uri);
    ASSERT_TRUE(renamed) << uri;
    EXPECT_TRUE(ResourceUri::parse(*renamed).ok()) << *renamed;
    EXPECT_EQ(space.decode(*renamed), uri) << *renamed;
  }
  EXPECT_EQ(space.encode("file:///a"), "fs+file:///a");
  EXPECT_EQ(space.encode("ui://widget/a"), "ui://fs/widget/a");
}

TEST(UriSpace, NeverMixesTwoUpstreams) {
  const UriSpace one("fs");
  const UriSpace two("fs2");
  EXPECT_FALSE(two.decode(*one.encode("file:///a")));
  EXPECT_FALSE(one.decode(*two.encode("file:///a")));
  EXPECT_FALSE(one.decode(*two.encode("ui://a")));
  EXPECT_FALSE(one.decode("file:///a"));
  EXPECT_FALSE(one.decode("fs"));
  EXPECT_FALSE(one.decode("ui://fs"));
}

TEST(UriSpace, StacksAsServersStandBehindOneAnother) {
  const UriSpace outer("a");
  const UriSpace inner("b_c");
  const std::string twice = *outer.encode(*inner.encode("file:///x"));
  EXPECT_EQ(twice, "a+b.c+file:///x");
  EXPECT_EQ(inner.decode(*outer.decode(twice)), "file:///x");
}

TEST(UriSpace, IsToldByASchemeWhateverItsCase) {
  EXPECT_EQ(UriSpace("My_Fs").encode("file:///a"), "my.fs+file:///a");
  EXPECT_EQ(UriSpace("My_Fs").decode("MY.FS+file:///a"), "file:///a");
}

TEST(UriSpace, TemplatesExpandToWhatTheUpstreamKnows) {
  const UriSpace space("db");
  const auto renamed = space.encode_template("db://users/{id}{?page}");
  ASSERT_TRUE(renamed);
  const auto parsed = UriTemplate::parse(*renamed);
  ASSERT_TRUE(parsed.ok());
  const auto uri = parsed->expand({{"id", "7"}, {"page", "2"}});
  ASSERT_TRUE(uri.ok());
  EXPECT_EQ(space.decode(*uri), "db://users/7?page=2");
  EXPECT_FALSE(space.encode_template("db://{broken"));
}

TEST(Namespaces, AreMadeFromAnyName) {
  EXPECT_EQ(namespace_of("filesystem"), "filesystem");
  EXPECT_EQ(namespace_of("My server!"), "My_server_");
  EXPECT_EQ(namespace_of("3d"), "s3d");
  EXPECT_EQ(namespace_of(""), "s");
  EXPECT_EQ(namespace_of("a.b"), "a_b");
}

}  // namespace
}  // namespace sluice::gateway
