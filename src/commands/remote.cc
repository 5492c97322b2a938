#include "sluice/commands/remote.h"

#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/base/version.h"
#include "sluice/bridge/bridge_provider.h"
#include "sluice/client/client.h"
#include "sluice/host/run.h"
#include "sluice/json/reader.h"

#include "login.h"

namespace sluice::commands {
namespace {

client::Environment environment_of(const RemoteServer& server, const config::Environment& environment) {
  client::Environment all;
  const auto add = [&](const std::string& name) {
    if (const std::optional<std::string> value = environment(name)) all.emplace(name, *value);
  };
  for (const char* name : {"HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR",
                           "TZ", "USER", "XDG_RUNTIME_DIR"})
    add(name);
  all = client::inheritable(all);
  for (const std::string& name : server.variables) add(name);
  return all;
}

// A server, and who obtains what it wants to see. Null: nobody.
struct Remote {
  client::Target target;
  std::shared_ptr<wiring::LoginAuthorizer> authorizer;  // Shared with the target.
};

Result<Remote> endpoint_of(const RemoteServer& server, const config::Environment& environment) {
  client::Endpoint endpoint;
  endpoint.url = server.place;
  bool is_authorized = false;
  for (const std::string& line : server.headers) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || colon == 0) return usage_error("a header is \"Name: value\"");
    endpoint.headers.emplace_back(line.substr(0, colon),
                                  trim_spaces(std::string_view(line).substr(colon + 1)));
    is_authorized |= equal_ignoring_case(endpoint.headers.back().first, "authorization");
  }
  Remote remote;
  if (!is_authorized) {
    SLUICE_TRY(remote.authorizer, authorizer_of(server, environment));
    endpoint.authorizer = remote.authorizer;
  }
  remote.target = std::move(endpoint);
  return remote;
}

Result<Remote> remote_of(const RemoteServer& server, const config::Environment& environment) {
  client::Command command;
  command.environment = environment_of(server, environment);
  if (!server.command.empty()) {
    command.program = server.command.front();
    command.arguments.assign(server.command.begin() + 1, server.command.end());
    return Remote{.target = std::move(command), .authorizer = nullptr};
  }
  if (is_url(server.place)) return endpoint_of(server, environment);
  if (server.place.empty()) return usage_error("name a server: a URL, a folder, or a command behind --");
  command.program = "/proc/self/exe";
  command.arguments = {"serve", server.place};
  command.environment.insert_or_assign("LOG_LEVEL", "warning");
  // It is ourselves, and looks for tokens where we do.
  if (const std::optional<std::string> state = environment("XDG_STATE_HOME"))
    command.environment.insert_or_assign("XDG_STATE_HOME", *state);
  return Remote{.target = std::move(command), .authorizer = nullptr};
}

client::ClientOptions client_options() {
  client::ClientOptions options;
  options.info = {.name = "sluice", .version = std::string(product_version()), .title = "Sluice"};
  return options;
}

}  // namespace

Result<std::string> call(const CallRequest& request, const config::Environment& environment) {
  json::Object params;
  if (!request.params.empty()) {
    Result<json::Value> given = json::read(request.params);
    if (!given) return usage_error(fmt::format("the parameters are not JSON: {}", given.error().message));
    json::Object* object = given->if_object();
    if (object == nullptr) return usage_error("the parameters must be a JSON object");
    params = std::move(*object);
  }
  SLUICE_TRY(const Remote remote, remote_of(request.server, environment));
  SLUICE_TRY(const std::unique_ptr<client::Client> server,
             client::Client::create(remote.target, client_options()));
  SLUICE_TRY([[maybe_unused]] const client::ServerInfo info,
             with_login(remote.authorizer.get(), [&] { return server->connect(); }));
  SLUICE_TRY(const json::Object result,
             with_login(remote.authorizer.get(), [&] { return server->request(request.method, params); }));
  return json::to_text(result);
}

Status connect(const RemoteServer& named, const config::Environment& environment) {
  SLUICE_TRY(const Remote remote, remote_of(named, environment));
  SLUICE_TRY(const std::shared_ptr<bridge::BridgeProvider> bridge, with_login(remote.authorizer.get(), [&] {
               return bridge::BridgeProvider::create(remote.target, client_options());
             }));
  server::ServerOptions options;
  const client::ServerInfo& info = bridge->info();
  options.info = info.implementation;
  if (options.info.name.empty()) options.info = client_options().info;
  options.instructions = info.instructions;
  options.check_outputs = false;  // The server behind it has done so.
  SLUICE_TRY(const std::unique_ptr<server::Server> server,
             server::Server::create(std::move(options), {bridge}));
  const Status ended = host::run(*server, {});
  bridge->close();
  return ended;
}

}  // namespace sluice::commands
