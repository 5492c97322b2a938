#include <atomic>

#include "test_clients.h"

namespace sluice::client::testing {
namespace {

using Questions = OnEveryTransport;
INSTANTIATE_TEST_SUITE_P(Everywhere, Questions, ::testing::ValuesIn(all_variants()), name_of);

ClientOptions asking(ClientOptions options, Ask ask) {
  options.capabilities.elicit_form = true;
  options.ask = std::move(ask);
  return options;
}

TEST_P(Questions, AreAnsweredWithDefaultsFilledIn) {
  const auto client = this->client(asking(options(), name_answer("Ada")));
  EXPECT_EQ(text_of(client->call_tool("ask", {})), "Ada, kind");
}

TEST_P(Questions, OfACallGoToItsOwnCallbackFirst) {
  const auto client = this->client(asking(options(), name_answer("somebody")));
  const CallOptions own{.ask = name_answer("Grace")};
  EXPECT_EQ(text_of(client->call_tool("ask", {}, own)), "Grace, kind");
}

TEST_P(Questions, ThatCannotBeAnsweredEndTheCallWithThatError) {
  const auto client = this->client(
      asking(options(), [](const protocol::Question&, std::stop_token) -> Result<protocol::Answer> {
        return make_error(ErrorKind::kInputRequired, "later");
      }));
  const Result<protocol::ToolResult> result = client->call_tool("ask", {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::kInputRequired);
  EXPECT_EQ(text_of(client->call_tool("echo", {{"text", "still there"}})), "still there");
}

TEST_P(Questions, AreNotAskedOfAClientThatCannotAnswer) {
  const auto client = this->client();
  const Result<protocol::ToolResult> result = client->call_tool("ask", {});
  EXPECT_TRUE(!result.ok() || result->is_error);
}

TEST_P(Questions, OfATaskAreAnsweredAndItsResultIsTheCalls) {
  const auto client = this->client(asking(options(), name_answer("Ada")));
  const std::string text = text_of(client->call_tool("background", {}));
  EXPECT_EQ(text, is_modern() ? "task of Ada, kind" : "call of Ada, kind");
}

TEST_P(Questions, MayCallTheServerBeforeTheyAreAnswered) {
  Client* inner = nullptr;
  std::string echoed;
  const auto client = this->client(asking(
      options(), [&](const protocol::Question& question, std::stop_token stop) -> Result<protocol::Answer> {
        echoed = text_of(inner->call_tool("echo", {{"text", "within"}}));
        return name_answer("Ada")(question, std::move(stop));
      }));
  inner = client.get();
  EXPECT_EQ(text_of(client->call_tool("ask", {})), "Ada, kind");
  EXPECT_EQ(echoed, "within");
}

// On a pipe of the legacy era a question does not say which call it belongs to.
TEST_P(Questions, OfACallWithACallbackOfItsOwnReachItBesideCallsWithout) {
  Client* inner = nullptr;
  std::string beside;
  const auto client = this->client(asking(
      options(), [&](const protocol::Question& question, std::stop_token stop) -> Result<protocol::Answer> {
        const CallOptions own{.ask = name_answer("Grace")};
        beside = text_of(inner->call_tool("ask", {}, own));
        return name_answer("Ada")(question, std::move(stop));
      }));
  inner = client.get();
  EXPECT_EQ(text_of(client->call_tool("ask", {})), "Ada, kind");
  EXPECT_EQ(beside, "Grace, kind");
}

}  // namespace
}  // namespace sluice::client::testing
