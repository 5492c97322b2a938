#include "test_clients.h"

namespace sluice::client::testing {
namespace {

class Subscribing : public OnEveryTransport {
 protected:
  ClientOptions hearing() {
    ClientOptions options = this->options();
    options.on_resource_updated = [this](const std::string& uri) { heard_.add(uri); };
    return options;
  }
  Heard heard_;
};
INSTANTIATE_TEST_SUITE_P(Everywhere, Subscribing, ::testing::ValuesIn(all_variants()), name_of);

TEST_P(Subscribing, BringsChangesOfWhatIsSubscribedTo) {
  const auto client = this->client(hearing());
  const Status done = client->subscribe("test://plain");
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(text_of(client->call_tool("touch", {{"uri", "test://plain"}})), "touched");
  EXPECT_TRUE(heard_.wait_for("test://plain"));
}

TEST_P(Subscribing, KeepsWhatIsSubscribedToWhenMoreComes) {
  const auto client = this->client(hearing());
  ASSERT_TRUE(client->subscribe("test://plain").ok());
  ASSERT_TRUE(client->subscribe("test://bytes").ok());
  client->call_tool("touch", {{"uri", "test://bytes"}}).ok();
  client->call_tool("touch", {{"uri", "test://plain"}}).ok();
  EXPECT_TRUE(heard_.wait_for("test://plain"));
  EXPECT_TRUE(heard_.wait_for("test://bytes"));
}

TEST_P(Subscribing, EndsWithUnsubscribing) {
  const auto client = this->client(hearing());
  ASSERT_TRUE(client->subscribe("test://plain").ok());
  ASSERT_TRUE(client->subscribe("test://bytes").ok());
  ASSERT_TRUE(client->unsubscribe("test://plain").ok());
  client->call_tool("touch", {{"uri", "test://plain"}}).ok();
  client->call_tool("touch", {{"uri", "test://bytes"}}).ok();
  EXPECT_TRUE(heard_.wait_for("test://bytes"));
  EXPECT_EQ(heard_.count("test://plain"), 0U);
}

TEST(SubscribingAgain, HappensAfterTheServerHasDied) {
  for (const Eras eras : {Eras::kModern, Eras::kLegacy}) {
    Heard heard;
    ClientOptions options;
    options.eras = eras;
    options.on_resource_updated = [&](const std::string& uri) { heard.add(uri); };
    const Served served(Transport::kStdio);
    const auto client = served.client(options);
    ASSERT_TRUE(client->subscribe("test://plain").ok());
    EXPECT_FALSE(client->call_tool("end", {}).ok());
    // Nobody knows what changed meanwhile, so a notification comes once it is back; then changes come as
    // before.
    EXPECT_TRUE(heard.wait_for("test://plain"));
  }
}

}  // namespace
}  // namespace sluice::client::testing
