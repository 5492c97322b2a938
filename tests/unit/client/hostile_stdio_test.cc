// V14 and V15: whatever a server on a pipe does, its client says what is wrong and goes on.
#include <thread>

#include "test_clients.h"

namespace sluice::client::testing {
namespace {

std::string call(const std::string& mode, ClientOptions options = {}) {
  return text_of(make_client(misbehaving(mode), std::move(options))->call_tool("t", {}));
}

TEST(V15_HostilePipe, GarbageEndsTheConnectionWithAReason) {
  EXPECT_EQ(call("garbage"), "error server_sends_garbage");
}
TEST(V15_HostilePipe, AGreetingIsForgiven) { EXPECT_EQ(call("some_garbage"), "ok"); }
TEST(V15_HostilePipe, TheFirstOfTwoAnswersCounts) {
  const auto client = make_client(misbehaving("twice"));
  EXPECT_EQ(text_of(client->call_tool("t", {})), "ok");
  EXPECT_EQ(text_of(client->call_tool("t", {})), "ok");
}
TEST(V15_HostilePipe, AnswersToNobodyAreIgnored) { EXPECT_EQ(call("wrong_ids"), "ok"); }
TEST(V15_HostilePipe, AMessageIsNoLongerThanItMayBe) {
  ClientOptions options;
  options.message_bytes_max = 1'000'000;
  EXPECT_EQ(call("huge_line", options), "error answer_too_large");
}
TEST(V15_HostilePipe, AReplyThatCannotBeReadFailsItsCallAtOnce) {
  for (const char* mode : {"deep", "bad_code", "bad_code_spaced", "bad_code_batch", "bad_number"})
    EXPECT_EQ(call(mode), "error result_invalid") << mode;
  EXPECT_EQ(call("bad_question"), "ok") << "a request with the same id is no answer";
}
TEST(V15_HostilePipe, ASilentServerTakesNoMoreThanTheTimeout) {
  const CallOptions options{.timeout = std::chrono::milliseconds{300}};
  EXPECT_EQ(make_client(misbehaving("silent"))->call_tool("t", {}, options).error().kind,
            ErrorKind::kDeadline);
}
TEST(V15_HostilePipe, DeathWithinACallIsSaid) {
  EXPECT_EQ(call("dies"), "error server_died");
  EXPECT_EQ(call("killed"), "error server_died");
  EXPECT_EQ(call("half"), "error server_died");
}
TEST(V15_HostilePipe, AResultMustBeWhatItsMethodPromises) {
  EXPECT_EQ(call("no_object"), "error result_invalid");
  EXPECT_EQ(call("empty"), "error result_invalid");
}

TEST(V15_HostilePipe, AFloodOfChangesIsToldInBounds) {
  std::atomic<std::size_t> told{0};
  ClientOptions options;
  options.on_resource_updated = [&](const std::string&) { ++told; };
  options.on_list_changed = [](ListKind) {};
  EXPECT_EQ(call("flood", options), "ok");
  EXPECT_LE(told, 20'000U);
}

TEST(V15_HostilePipe, AFloodOfQuestionsIsRefusedInBounds) {
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

TEST(V15_HostilePipe, AServerThatKeepsDyingIsLeftAloneForAWhile) {
  const auto client = make_client(misbehaving("no_start"));
  EXPECT_EQ(code_of(client->call_tool("t", {})), "server_died");
  std::string code;
  for (int i = 0; i < 10 && code != "server_backing_off"; ++i) code = code_of(client->call_tool("t", {}));
  EXPECT_EQ(code, "server_backing_off");
}

TEST(V15_HostilePipe, AServerThatDiedIsStartedAgain) {
  const Served served(Transport::kStdio);
  const auto client = served.client();
  EXPECT_EQ(code_of(client->call_tool("end", {})), "server_died");
  EXPECT_EQ(text_of(client->call_tool("echo", {{"text", "back"}})), "back");
}

}  // namespace
}  // namespace sluice::client::testing
