#include <atomic>
#include <thread>

#include "test_clients.h"

namespace sluice::client::testing {
namespace {

using ::testing::ElementsAre;

using Calls = OnEveryTransport;
INSTANTIATE_TEST_SUITE_P(Everywhere, Calls, ::testing::ValuesIn(all_variants()), name_of);

TEST_P(Calls, AreAnsweredInTheServersEra) {
  const auto client = this->client();
  const Result<ServerInfo> info = client->connect();
  ASSERT_TRUE(info.ok()) << info.error().message;
  EXPECT_EQ(protocol::is_modern(info->revision), is_modern());
  EXPECT_EQ(info->implementation.name, "test");
  EXPECT_EQ(info->instructions, "Use it well.");
  EXPECT_TRUE(info->has("tools"));
  EXPECT_EQ(text_of(client->call_tool("echo", {{"text", "hello"}})), "hello");
  EXPECT_TRUE(client->ping().ok());
}

TEST_P(Calls, GiveErrorsOfAToolAsResultsAndOthersAsErrors) {
  const auto client = this->client();
  const Result<protocol::ToolResult> failed = client->call_tool("fail", {});
  ASSERT_TRUE(failed.ok());
  EXPECT_TRUE(failed->is_error);
  const Result<protocol::ToolResult> unknown = client->call_tool("no such tool", {});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, "server_error");
  EXPECT_EQ(rpc_code(unknown.error()), -32602);
}

TEST_P(Calls, ReadTextAndBytes) {
  const auto client = this->client();
  const auto plain = client->read_resource("test://plain");
  ASSERT_TRUE(plain.ok()) << plain.error().message;
  EXPECT_EQ(std::get<protocol::TextBody>(plain->contents.front().body).text, "plain text");
  const auto bytes = client->read_resource("test://bytes");
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(std::get<protocol::BlobBody>(bytes->contents.front().body).bytes, std::string("\0\xff\x01", 3));
  EXPECT_EQ(rpc_code(client->read_resource("test://missing").error()), is_modern() ? -32602 : -32002);
}

TEST_P(Calls, GetPromptsAndCompletions) {
  const auto client = this->client();
  const auto prompt = client->get_prompt("greeting", {{"name", "Ada"}});
  ASSERT_TRUE(prompt.ok()) << prompt.error().message;
  EXPECT_EQ(std::get<protocol::TextContent>(prompt->messages.front().content.body).text, "Greet Ada");
  const auto completion = client->complete({.reference = protocol::TemplateReference{"test://item/{name}"},
                                            .argument = "name",
                                            .typed = "a",
                                            .resolved = {}});
  ASSERT_TRUE(completion.ok()) << completion.error().message;
  EXPECT_THAT(completion->values, ElementsAre("a1", "a2"));
}

TEST_P(Calls, TellProgressBeforeTheyReturn) {
  const auto client = this->client();
  std::vector<double> steps;
  const CallOptions options{
      .on_progress = [&](const protocol::Progress& progress) { steps.push_back(progress.done); }};
  EXPECT_EQ(text_of(client->call_tool("steps", {{"count", 3}}, options)), "done");
  EXPECT_THAT(steps, ElementsAre(1, 2, 3));
}

TEST_P(Calls, EndWhenTheirStopIsRequested) {
  const auto client = this->client();
  std::stop_source stop;
  std::thread stopper([&] { stop.request_stop(); });
  const CallOptions options{.stop = stop.get_token()};
  EXPECT_EQ(client->call_tool("wait", {}, options).error().kind, ErrorKind::kCancelled);
  stopper.join();
  EXPECT_EQ(text_of(client->call_tool("echo", {{"text", "still there"}})), "still there");
}

TEST_P(Calls, EndWhenTheirTimeIsOver) {
  const auto client = this->client();
  const CallOptions options{.timeout = std::chrono::milliseconds{200}};
  EXPECT_EQ(client->call_tool("wait", {}, options).error().kind, ErrorKind::kDeadline);
  EXPECT_EQ(text_of(client->call_tool("echo", {{"text", "still there"}})), "still there");
}

TEST_P(Calls, OfManyThreadsGetTheirOwnAnswers) {
  const auto client = this->client();
  ASSERT_TRUE(client->connect().ok());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 25; ++i) {
        const std::string text = std::to_string(thread) + ":" + std::to_string(i);
        if (text_of(client->call_tool("echo", {{"text", text}})) != text) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_P(Calls, CarryLargeAnswers) {
  const auto client = this->client();
  EXPECT_EQ(text_of(client->call_tool("large", {{"bytes", 3'000'000}})).size(), 3'000'000U);
}

TEST_P(Calls, AreCancelledByClosing) {
  const auto client = this->client();
  ASSERT_TRUE(client->connect().ok());
  std::thread closer([&] { client->close(); });
  const Result<protocol::ToolResult> result = client->call_tool("wait", {});
  closer.join();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::kCancelled);
  EXPECT_EQ(code_of(client->call_tool("echo", {})), "client_closed");
}

TEST_P(Calls, BringLogMessages) {
  Heard heard;
  ClientOptions options = this->options();
  options.log_level = protocol::LogLevel::kInfo;
  options.on_log = [&](const LogMessage& message) { heard.add(*message.data.if_string()); };
  const auto client = this->client(options);
  EXPECT_EQ(text_of(client->call_tool("log", {{"text", "a word"}})), "logged");
  EXPECT_TRUE(heard.wait_for("a word"));
}

TEST_P(Calls, PassMetadataThrough) {
  const auto client = this->client();
  const CallOptions options{
      .meta = {{"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}};
  EXPECT_EQ(text_of(client->call_tool("echo", {{"text", "traced"}}, options)), "traced");
}

}  // namespace
}  // namespace sluice::client::testing
