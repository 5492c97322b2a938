#include "sluice/app/remote.h"

#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "sluice/app/serve.h"
#include "sluice/base/text.h"
#include "sluice/client/client.h"
#include "sluice/host/run.h"
#include "sluice/json/reader.h"

#include "bridge_provider.h"

namespace sluice::app {
namespace {

Error usage(std::string_view message) { return invalid_input(message).with_code("usage"); }

bool is_url(std::string_view place) { return place.starts_with("http://") || place.starts_with("https://"); }

client::Environment environment_of(const RemoteServer& server, const Environment& environment) {
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

Result<client::Endpoint> endpoint_of(const RemoteServer& server) {
  client::Endpoint endpoint;
  endpoint.url = server.place;
  for (const std::string& line : server.headers) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || colon == 0) return usage("a header is \"Name: value\"");
    endpoint.headers.emplace_back(line.substr(0, colon),
                                  trim_spaces(std::string_view(line).substr(colon + 1)));
  }
  return endpoint;
}

Result<client::Target> target_of(const RemoteServer& server, const Environment& environment) {
  client::Command command;
  command.environment = environment_of(server, environment);
  if (!server.command.empty()) {
    command.program = server.command.front();
    command.arguments.assign(server.command.begin() + 1, server.command.end());
    return client::Target{std::move(command)};
  }
  if (is_url(server.place)) {
    SLUICE_TRY(client::Endpoint endpoint, endpoint_of(server));
    return client::Target{std::move(endpoint)};
  }
  if (server.place.empty()) return usage("name a server: a URL, a folder, or a command behind --");
  command.program = "/proc/self/exe";
  command.arguments = {"serve", server.place};
  command.environment.insert_or_assign("LOG_LEVEL", "warning");
  return client::Target{std::move(command)};
}

client::ClientOptions client_options() {
  client::ClientOptions options;
  options.info = {.name = "sluice", .version = std::string(kVersion), .title = "Sluice"};
  return options;
}

}  // namespace

Result<std::string> call(const CallRequest& request, const Environment& environment) {
  json::Object params;
  if (!request.params.empty()) {
    Result<json::Value> given = json::read(request.params);
    if (!given) return usage(fmt::format("the parameters are not JSON: {}", given.error().message));
    json::Object* object = given->if_object();
    if (object == nullptr) return usage("the parameters must be a JSON object");
    params = std::move(*object);
  }
  SLUICE_TRY(client::Target target, target_of(request.server, environment));
  SLUICE_TRY(const std::unique_ptr<client::Client> server,
             client::Client::create(std::move(target), client_options()));
  SLUICE_TRY(const json::Object result, server->request(request.method, std::move(params)));
  return json::to_text(result);
}

Status connect(const RemoteServer& remote, const Environment& environment) {
  SLUICE_TRY(client::Target target, target_of(remote, environment));
  SLUICE_TRY(const std::shared_ptr<BridgeProvider> bridge,
             BridgeProvider::create(std::move(target), client_options()));
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

}  // namespace sluice::app
