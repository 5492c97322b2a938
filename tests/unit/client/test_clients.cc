#include "test_clients.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <utility>

#include "test_registry.h"

namespace sluice::client::testing {
namespace {

template <typename T>
T must(Result<T> result) {
  if (result.ok()) return std::move(result).value();
  std::cerr << "the test cannot begin: " << result.error().message << '\n';
  std::abort();
}

}  // namespace

Served::Served(Transport transport) {
  if (transport == Transport::kStdio) {
    target_ = Command{.program = CLIENT_TEST_SERVER, .arguments = {}, .environment = {}, .folder = {}};
    return;
  }
  server_ = must(server::Server::create(test_server_options(), {make_test_registry()}));
  if (transport == Transport::kMemory) {
    target_ = InProcess{server_->receiver()};
    return;
  }
  http_ = must(transport::HttpServer::start({}, server_->receiver()));
  Endpoint endpoint;
  endpoint.url = "http://127.0.0.1:" + std::to_string(http_->port()) + "/mcp";
  target_ = endpoint;
}

Served::~Served() {
  if (server_) server_->stop(std::chrono::milliseconds{0});
  if (http_) http_->stop(std::chrono::milliseconds{0});
}

std::unique_ptr<Client> Served::client(ClientOptions options) const {
  return make_client(target_, std::move(options));
}

std::unique_ptr<Client> make_client(Target target, ClientOptions options) {
  return must(Client::create(std::move(target), std::move(options)));
}

std::vector<Variant> all_variants() {
  std::vector<Variant> variants;
  for (const Transport transport : {Transport::kMemory, Transport::kStdio, Transport::kHttp}) {
    for (const Eras eras : {Eras::kModern, Eras::kLegacy}) variants.push_back({transport, eras});
  }
  return variants;
}

std::string name_of(const ::testing::TestParamInfo<Variant>& info) {
  const char* const transports[] = {"Memory", "Stdio", "Http"};
  return std::string(transports[static_cast<std::size_t>(info.param.transport)]) +
         (info.param.eras == Eras::kModern ? "Modern" : "Legacy");
}

ClientOptions OnEveryTransport::options() const {
  ClientOptions options;
  options.eras = GetParam().eras;
  options.timeout = kPatience;
  return options;
}

Command misbehaving(const std::string& mode) {
  return {.program = MISBEHAVING_SERVER,
          .arguments = {mode},
          .environment = {},
          .folder = {},
          .exit_grace = std::chrono::milliseconds{100}};
}

std::string text_of(const Result<protocol::ToolResult>& result) {
  if (!result.ok()) return "error " + result.error().code;
  if (result->content.empty()) return "";
  const auto* text = std::get_if<protocol::TextContent>(&result->content.front().body);
  return text == nullptr ? "not text" : text->text;
}

std::string code_of(const Error& error) { return error.code; }

void Heard::add(std::string what) {
  const std::scoped_lock lock(mutex_);
  heard_.push_back(std::move(what));
  changed_.notify_all();
}

bool Heard::wait_for(const std::string& what) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience,
                           [&] { return std::find(heard_.begin(), heard_.end(), what) != heard_.end(); });
}

std::size_t Heard::count(const std::string& what) const {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::size_t>(std::count(heard_.begin(), heard_.end(), what));
}

Ask name_answer(const std::string& name) {
  return [name](const protocol::Question&, std::stop_token) -> Result<protocol::Answer> {
    return protocol::Answer{
        protocol::ElicitAnswer{.action = protocol::ElicitAction::kAccept, .content = {{"name", name}}}};
  };
}

}  // namespace sluice::client::testing
