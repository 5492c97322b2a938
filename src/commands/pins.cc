#include "sluice/commands/pins.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/base/version.h"
#include "sluice/client/client.h"
#include "sluice/config/config_file.h"
#include "sluice/gateway/tool_pins.h"
#include "sluice/wiring/wire_upstreams.h"

namespace sluice::commands {
namespace {

Result<std::vector<protocol::Tool>> tools_of(const config::GatewayConfig& config,
                                             const config::UpstreamSpec& spec) {
  SLUICE_TRY(const gateway::ToolNode::Connector connector, wiring::connector_for(config, spec));
  client::ClientOptions options;
  options.info = {.name = "sluice-pins", .version = std::string(product_version())};
  options.timeout = spec.node.timeout;
  SLUICE_TRY(const std::unique_ptr<client::Client> client, connector(std::move(options)));
  if (const Result<client::ServerInfo> server = client->connect(); !server.ok()) return server.error();
  return client->list_tools();
}

Status review(const config::GatewayConfig& config, const config::UpstreamSpec& spec,
              const std::string& accepted, gateway::ToolPins& pins, std::vector<std::string>& lines) {
  const Result<std::vector<protocol::Tool>> tools = tools_of(config, spec);
  if (!tools.ok() && !accepted.empty()) return tools.error();
  if (!tools.ok()) {
    lines.push_back(fmt::format("{}: {}", spec.node.name, tools.error().message));
    return {};
  }
  if (!accepted.empty()) {
    SLUICE_CHECK(pins.accept(spec.node.name, *tools, accepted));
    lines.push_back(
        fmt::format("{}: {} is accepted as it is now; a server that is running takes it up when it "
                    "connects anew",
                    spec.node.name, excerpt(accepted)));
  }
  SLUICE_TRY(const gateway::ToolPins::Verdict verdict, pins.check(spec.node.name, *tools));
  for (const auto& [tool, changes] : verdict.refused)
    lines.push_back(fmt::format("{}: {} has changed: {}", spec.node.name, excerpt(tool), changes));
  if (verdict.refused.empty())
    lines.push_back(fmt::format("{}: {} tools are as they were pinned", spec.node.name, tools->size()));
  return {};
}

}  // namespace

Result<std::vector<std::string>> review_pins(const PinsRequest& request,
                                             const config::Environment& environment) {
  SLUICE_TRY(const config::Config config, config::load_config({request.config}, environment));
  if (!request.accept.empty() && request.upstream.empty())
    return invalid_input("--accept needs the name of the upstream").with_code("usage");
  SLUICE_TRY(const std::shared_ptr<gateway::ToolPins> pins, gateway::ToolPins::open(config.gateway.pins));
  std::vector<std::string> lines;
  bool is_found = request.upstream.empty();
  for (const config::UpstreamSpec& spec : config.gateway.upstreams) {
    const bool is_meant = request.upstream.empty() ? spec.pin : spec.node.name == request.upstream;
    if (!is_meant) continue;
    if (!spec.pin)
      return invalid_input(fmt::format("the tools of {} are not pinned; set `pin: true`", spec.node.name))
          .with_code("usage");
    is_found = true;
    SLUICE_CHECK(review(config.gateway, spec, request.accept, *pins, lines));
  }
  if (!is_found)
    return invalid_input(fmt::format("no upstream of this configuration: {}", excerpt(request.upstream)))
        .with_code("usage");
  if (lines.empty()) lines.emplace_back("no upstream of this configuration is pinned");
  return lines;
}

}  // namespace sluice::commands
