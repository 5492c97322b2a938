#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/catalog/registry.h"
#include "sluice/server/server.h"
#include "sluice/transport/memory_transport.h"

namespace sluice::server {
namespace {

using ::testing::HasSubstr;

constexpr std::chrono::seconds kSoon{10};
constexpr std::string_view kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";

std::string thread_name() { return std::to_string(std::hash<std::thread::id>{}(std::this_thread::get_id())); }

std::shared_ptr<catalog::Registry> registry_of_threads() {
  auto registry = std::make_shared<catalog::Registry>("threads");
  const auto answer = [](const json::Object&, catalog::Context&) -> Result<protocol::ToolResult> {
    return protocol::text_result("on " + thread_name());
  };
  protocol::Tool tool;
  tool.name = "instant";
  registry->add_tool(tool, answer, catalog::RunsOn::kReceivingThread);
  tool.name = "worker";
  registry->add_tool(tool, answer);
  registry->add_resource(
      {.uri = "x://instant", .name = "r"},
      [](const ResourceUri& uri, catalog::Context&) -> Result<protocol::ReadResult> {
        protocol::ReadResult result;
        result.contents.push_back({.uri = uri.text(), .body = protocol::TextBody{"on " + thread_name()}});
        return result;
      },
      catalog::RunsOn::kReceivingThread);
  return registry;
}

std::string ask(Server& server, std::string_view method, std::string_view params) {
  transport::MemoryPipe pipe(server.receiver());
  pipe.send(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) + R"(","params":{)" +
            std::string(params) + "," + std::string(kMeta) + "}}");
  return pipe.receive(kSoon).value_or("no answer");
}

TEST(InstantHandlers, RunOnTheThreadThatReceivedTheRequest) {
  const auto server = Server::create({}, {registry_of_threads()}).value();
  EXPECT_THAT(ask(*server, "tools/call", R"("name":"instant")"), HasSubstr("on " + thread_name()));
  EXPECT_THAT(ask(*server, "resources/read", R"("uri":"x://instant")"), HasSubstr("on " + thread_name()));
}

TEST(OtherHandlers, RunOnAWorker) {
  const auto server = Server::create({}, {registry_of_threads()}).value();
  const std::string answer = ask(*server, "tools/call", R"("name":"worker")");
  EXPECT_THAT(answer, HasSubstr("on "));
  EXPECT_EQ(answer.find("on " + thread_name()), std::string::npos) << answer;
}

// Has one resource in memory, x://kept, and reads the others; its tool is listed as x.far and called x_far,
// too.
class KeptProvider final : public catalog::Provider,
                           public catalog::ToolProvider,
                           public catalog::ResourceProvider {
 public:
  KeptProvider() : Provider({.name = "kept"}) {}

  catalog::ToolProvider* tools() override { return this; }
  catalog::ResourceProvider* resources() override { return this; }

  std::vector<protocol::Tool> list_tools(const catalog::ListQuery& /*query*/) override {
    return {protocol::Tool{.name = "x.far"}};
  }
  std::string listed_name(std::string_view name) const override {
    ++lookups;
    return name == "x_far" ? "x.far" : "";
  }
  Result<protocol::ToolResult> call(const std::string& tool, const json::Object& /*arguments*/,
                                    catalog::Context& /*context*/) override {
    return protocol::text_result(tool);
  }

  bool owns(const ResourceUri& uri) const override { return uri.scheme() == "x"; }
  Result<protocol::ReadResult> read(const ResourceUri& uri, catalog::Context& /*context*/) override {
    ++reads;
    return text(uri, "read on " + thread_name());
  }
  std::optional<Result<protocol::ReadResult>> try_read_now(const ResourceUri& uri, const Principal& principal,
                                                           const Budget& /*budget*/) override {
    if (uri.text() == "x://broken") throw std::runtime_error("a bug");
    if (uri.text() != "x://kept") return std::nullopt;
    return text(uri, "kept for " + principal.id + " on " + thread_name());
  }

  mutable std::atomic<int> lookups{0};
  std::atomic<int> reads{0};

 private:
  static protocol::ReadResult text(const ResourceUri& uri, std::string body) {
    protocol::ReadResult result;
    result.contents.push_back({.uri = uri.text(), .body = protocol::TextBody{std::move(body)}});
    return result;
  }
};

TEST(ReadsFromMemory, NeedNoWorkerAndNoRead) {
  const auto provider = std::make_shared<KeptProvider>();
  const auto server = Server::create({}, {provider}).value();
  EXPECT_THAT(ask(*server, "resources/read", R"("uri":"x://kept")"),
              HasSubstr("kept for " + local_principal().id + " on " + thread_name()));
  EXPECT_EQ(provider->reads, 0);
  const std::string other = ask(*server, "resources/read", R"("uri":"x://other")");
  EXPECT_THAT(other, HasSubstr("read on "));
  EXPECT_EQ(other.find("on " + thread_name()), std::string::npos) << other;
  EXPECT_EQ(provider->reads, 1);
}

TEST(ReadsFromMemory, ThatThrowFailAlone) {
  const auto server = Server::create({}, {std::make_shared<KeptProvider>()}).value();
  EXPECT_THAT(ask(*server, "resources/read", R"("uri":"x://broken")"), HasSubstr("-32603"));
  EXPECT_THAT(ask(*server, "resources/read", R"("uri":"x://kept")"), HasSubstr("kept for"));
}

TEST(ToolCalls, LookTheToolUpOnce) {
  const auto provider = std::make_shared<KeptProvider>();
  const auto server = Server::create({}, {provider}).value();
  EXPECT_THAT(ask(*server, "tools/call", R"("name":"x_far")"), HasSubstr("x.far"));
  EXPECT_EQ(provider->lookups, 1);
}

// Gets to know its tool and its resource after a request for them has been received, before a worker runs it.
class LateProvider final : public catalog::Provider,
                           public catalog::ToolProvider,
                           public catalog::ResourceProvider {
 public:
  LateProvider() : Provider({.name = "late"}) {}

  catalog::ToolProvider* tools() override { return this; }
  catalog::ResourceProvider* resources() override { return this; }
  void attach(catalog::ChangeSink& sink) override { sink_ = &sink; }
  bool is_settled() const override {
    if (!is_known_.exchange(true)) sink_->tools_changed();
    return true;
  }

  std::vector<protocol::Tool> list_tools(const catalog::ListQuery& /*query*/) override {
    if (!is_known_) return {};
    return {protocol::Tool{.name = "late"}};
  }
  Result<protocol::ToolResult> call(const std::string& tool, const json::Object& /*arguments*/,
                                    catalog::Context& /*context*/) override {
    return protocol::text_result("called " + tool);
  }
  bool owns(const ResourceUri& /*uri*/) const override { return std::this_thread::get_id() != receiver_; }
  Result<protocol::ReadResult> read(const ResourceUri& uri, catalog::Context& /*context*/) override {
    protocol::ReadResult result;
    result.contents.push_back({.uri = uri.text(), .body = protocol::TextBody{"read late"}});
    return result;
  }

 private:
  catalog::ChangeSink* sink_ = nullptr;
  mutable std::atomic<bool> is_known_{false};
  const std::thread::id receiver_ = std::this_thread::get_id();
};

TEST(ToolCalls, FindAToolThatBecameKnownWhileTheyWaited) {
  const auto server = Server::create({}, {std::make_shared<LateProvider>()}).value();
  EXPECT_THAT(ask(*server, "tools/call", R"("name":"late")"), HasSubstr("called late"));
}

TEST(Reads, FindAResourceThatGotAnOwnerWhileTheyWaited) {
  const auto server = Server::create({}, {std::make_shared<LateProvider>()}).value();
  EXPECT_THAT(ask(*server, "resources/read", R"("uri":"x://late")"), HasSubstr("read late"));
}

}  // namespace
}  // namespace sluice::server
