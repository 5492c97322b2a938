// `injected_data` and `oauth_abuse`: whatever a server on a pipe does, its client says what is wrong and goes
// on.
#include <thread>

#include "test_clients.h"

namespace sluice::client::testing {
namespace {

std::string call(const std::string& mode, ClientOptions options = {}) {
  return text_of(make_client(misbehaving(mode), std::move(options))->call_tool("t", {}));
}

TEST(OauthAbuseHostilePipe, GarbageEndsTheConnectionWithAReason) {
  EXPECT_EQ(call("garbage"), "error server_sends_garbage");
}
TEST(OauthAbuseHostilePipe, AGreetingIsForgiven) { EXPECT_EQ(call("some_garbage"), "ok"); }
TEST(OauthAbuseHostilePipe, TheFirstOfTwoAnswersCounts) {
  const auto client = make_client(misbehaving("twice"));
  EXPECT_EQ(text_of(client->call_tool("t", {})), "ok");
  EXPECT_EQ(text_of(client->call_tool("t", {})), "ok");
}
TEST(OauthAbuseHostilePipe, AnswersToNobodyAreIgnored) { EXPECT_EQ(call("wrong_ids"), "ok"); }
TEST(OauthAbuseHostilePipe, AMessageIsNoLongerThanItMayBe) {
  ClientOptions options;
  options.message_bytes_max = 1'000'000;
  EXPECT_EQ(call("huge_line", options), "error answer_too_large");
}
TEST(OauthAbuseHostilePipe, AReplyThatCannotBeReadFailsItsCallAtOnce) {
  for (const char* mode : {"deep", "bad_code", "bad_code_spaced", "bad_code_batch", "bad_number"})
    EXPECT_EQ(call(mode), "error result_invalid") << mode;
  EXPECT_EQ(call("bad_question"), "ok") << "a request with the same id is no answer";
}
TEST(OauthAbuseHostilePipe, ASilentServerTakesNoMoreThanTheTimeout) {
  const CallOptions options{.timeout = std::chrono::milliseconds{300}};
  EXPECT_EQ(make_client(misbehaving("silent"))->call_tool("t", {}, options).error().kind,
            ErrorKind::kDeadline);
}
TEST(OauthAbuseHostilePipe, DeathWithinACallIsSaid) {
  EXPECT_EQ(call("dies"), "error server_died");
  EXPECT_EQ(call("killed"), "error server_died");
  EXPECT_EQ(call("half"), "error server_died");
}
TEST(OauthAbuseHostilePipe, AResultMustBeWhatItsMethodPromises) {
  EXPECT_EQ(call("no_object"), "error result_invalid");
  EXPECT_EQ(call("empty"), "error result_invalid");
}

TEST(OauthAbuseHostilePipe, AFloodOfChangesIsToldInBounds) {
  std::atomic<std::size_t> told{0};
  ClientOptions options;
  options.on_resource_updated = [&](const std::string&) { ++told; };
  options.on_list_changed = [](ListKind) {};
  EXPECT_EQ(call("flood", options), "ok");
  EXPECT_LE(told, 20'000U);
}

TEST(OauthAbuseHostilePipe, AFloodOfQuestionsIsRefusedInBounds) {
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  ClientOptions options;
  options.capabilities.roots = true;
  options.ask = [&](const protocol::Question&, std::stop_token) -> Result<protocol::Answer> {
    most = std::max(most.load(), ++running);
    --running;
    return protocol::Answer{protocol::RootsAnswer{}};
  };
  EXPECT_EQ(call("questions", options), "ok");
  EXPECT_LE(most, 32);
}

TEST(OauthAbuseHostilePipe, AServerThatKeepsDyingIsLeftAloneForAWhile) {
  const auto client = make_client(misbehaving("no_start"));
  EXPECT_EQ(code_of(client->call_tool("t", {})), "server_died");
  std::string code;
  for (int i = 0; i < 10 && code != "server_backing_off"; ++i) code = code_of(client->call_tool("t", {}));
  EXPECT_EQ(code, "server_backing_off");
}

TEST(OauthAbuseHostilePipe, AServerThatDiedIsStartedAgain) {
  const Served served(Transport::kStdio);
  const auto client = served.client();
  EXPECT_EQ(code_of(client->call_tool("end", {})), "server_died");
  EXPECT_EQ(text_of(client->call_tool("echo", {{"text", "back"}})), "back");
}

}  // namespace
}  // namespace sluice::client::testing
