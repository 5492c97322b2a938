#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/catalog/registry.h"
#include "sluice/server/server.h"

#include "one_time_signal.h"

namespace sluice::server::testing {

using catalog::Context;
using catalog::Registry;

// The wall stands still until a test moves it. Deadlines run with the machine's own clock, which `advance`
// moves as well, and `set_back` does not.
class TestClock final : public Clock {
 public:
  Monotonic now() const override {
    return std::chrono::steady_clock::now() + std::chrono::milliseconds(advanced_ms_);
  }
  WallTime wall() const override {
    return WallTime(std::chrono::milliseconds(1'900'000'000'000 + advanced_ms_ - set_back_ms_));
  }
  void advance(std::chrono::milliseconds by) { advanced_ms_ += by.count(); }
  void set_back(std::chrono::milliseconds by) { set_back_ms_ += by.count(); }

 private:
  std::atomic<std::int64_t> advanced_ms_{0};
  std::atomic<std::int64_t> set_back_ms_{0};
};

// A server over one registry. Tests add the tools, resources and prompts they are about.
class TestServer {
 public:
  // `fill` adds what the server has from the start.
  explicit TestServer(ServerOptions options = {}, const std::function<void(Registry&)>& fill = {});

  Server& operator*() { return *server; }
  Server* operator->() { return server.get(); }

  void add_tool(std::string name, Registry::ToolHandler handler,
                std::string_view input_schema = R"({"type":"object"})");
  void add_tool(std::string name, std::string_view output_schema, Registry::ToolHandler handler);
  void add_task_tool(std::string name, Registry::ToolHandler handler);
  void add_echo();  // "echo": answers with its argument "text", a required string.
  void add_resource(std::string uri, std::string text);
  void add_prompt(std::string name, std::string text);

  std::shared_ptr<Registry> registry;  // Shared with the server.
  std::unique_ptr<Server> server;
};

// The answer to ask_form: "accept {...}", "decline" or "cancel".
std::string describe(const protocol::ElicitAnswer& answer);
// A form that asks for one required string, `name`.
protocol::ElicitForm name_form();
protocol::Sample greeting_sample();

}  // namespace sluice::server::testing
