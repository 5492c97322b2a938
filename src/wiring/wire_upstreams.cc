#include "sluice/wiring/wire_upstreams.h"

#include <algorithm>
#include <filesystem>
#include <future>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/client/client.h"
#include "sluice/json/writer.h"
#include "sluice/wiring/login_authorizer.h"

namespace sluice::wiring {
namespace {

constexpr std::chrono::milliseconds kCheckPatience{15'000};

// What a person is told to run. Those who are served have no business with folders.
enum class ConfigReference : std::uint8_t { kName, kPath };

std::string login_command(const config::GatewayConfig& config, const config::UpstreamSpec& spec,
                          ConfigReference reference) {
  const std::string file = reference == ConfigReference::kPath
                               ? config.file
                               : std::filesystem::path(config.file).filename().string();
  return fmt::format("sluice login {} {}", file, spec.node.name);
}

// With the authorizer of an upstream that has one, and where its tokens are.
struct Way {
  std::shared_ptr<oauth::TokenStore> tokens;  // Shared with the authorizer.
  std::shared_ptr<oauth::Authorizer> authorizer;
};

Result<Way> way_of(const config::GatewayConfig& config, const config::UpstreamSpec& spec,
                   ConfigReference reference) {
  Way way;
  if (!spec.authorization) return way;
  SLUICE_TRY(way.tokens, open_tokens(config.tokens, *spec.authorization));
  LoginAuthorizer::Place place{.url = spec.url,
                               .ca_file = spec.ca_file,
                               .command = login_command(config, spec, reference),
                               .show = {}};
  SLUICE_TRY(way.authorizer, LoginAuthorizer::create(*spec.authorization, std::move(place), way.tokens));
  return way;
}

client::Target target_of(const config::UpstreamSpec& spec, const Way& way) {
  if (!spec.command.empty())
    return client::Command{.program = spec.command,
                           .arguments = spec.arguments,
                           .environment = spec.environment,
                           .folder = spec.folder};
  return client::Endpoint{.url = spec.url,
                          .headers = spec.headers,
                          .authorizer = way.authorizer,
                          .ca_file = spec.ca_file,
                          .proxy = spec.proxy,
                          .allow_private = spec.allow_private};
}

gateway::ToolNode::Connector connector_of(const config::UpstreamSpec& spec, const Way& way) {
  return gateway::connector_to(target_of(spec, way), spec.eras);
}

void write_authorization(const config::GatewayConfig& config, const config::AuthorizationSpec& spec,
                         json::Writer& out) {
  for (const std::string& text :
       {config.tokens, config.file, spec.issuer, spec.client_id, spec.secret, spec.key_pem, spec.key_id,
        spec.auth_method, spec.client_document_url, spec.account})
    out.string(text);
  for (const std::string& scope : spec.scopes) out.string("scope").string(scope);
  for (const std::uint64_t number : {static_cast<std::uint64_t>(spec.grant), std::uint64_t{spec.may_register},
                                     std::uint64_t{spec.requires_dpop}, std::uint64_t{spec.allow_private}})
    out.number(number);
}

void write_offer(const gateway::OfferConfig& offer, json::Writer& out) {
  for (const std::string& pattern : offer.tools.rules.allow) out.string("allow").string(pattern);
  for (const std::string& pattern : offer.tools.rules.deny) out.string("deny").string(pattern);
  for (const auto& [name, other] : offer.tools.rename) out.string("rename").string(name).string(other);
  for (const auto& [name, text] : offer.tools.describe) out.string("describe").string(name).string(text);
  for (const bool flag : {offer.tools.rules.read_only, offer.offers_tools, offer.offers_prompts,
                          offer.offers_resources, offer.offers_resource_tools})
    out.number(std::uint64_t{flag});
}

// Everything that a connection depends on; it holds secrets and is only compared.
std::string fingerprint_of(const config::GatewayConfig& config, const config::UpstreamSpec& spec) {
  json::Writer out;
  out.begin_array();
  if (spec.authorization) write_authorization(config, *spec.authorization, out);
  for (const std::string& text :
       {spec.node.name, spec.command, spec.folder, spec.url, spec.ca_file, spec.proxy})
    out.string(text);
  write_offer(spec.node.offer, out);
  for (const std::string& argument : spec.arguments) out.string(argument);
  for (const auto& [name, value] : spec.environment) out.string("env").string(name).string(value);
  for (const auto& [name, value] : spec.headers) out.string("header").string(name).string(value);
  const gateway::NodeConfig& node = spec.node;
  const gateway::ArtifactExtractionConfig& extraction = node.artifact_extraction;
  const gateway::ResourceHandlingConfig& handling = extraction.resources;
  for (const std::uint64_t number :
       {std::uint64_t{spec.allow_private}, std::uint64_t{spec.pin}, static_cast<std::uint64_t>(spec.eras),
        static_cast<std::uint64_t>(node.timeout.count()), std::uint64_t{node.max_concurrency},
        std::uint64_t{node.attempts}, std::uint64_t{node.relay_questions}, std::uint64_t{node.cache.enabled},
        std::uint64_t{node.cache.max_entries}, node.cache.ttl_seconds,
        std::uint64_t{node.cache.inline_text_if_under_chars}, std::uint64_t{node.cache.max_bytes},
        std::uint64_t{extraction.enabled}, std::uint64_t{extraction.max_inline_size},
        std::uint64_t{handling.enabled}, handling.auto_read_if_size_under_bytes,
        std::uint64_t{handling.inline_text_if_under_chars}, std::uint64_t{handling.cache_reads_to_artifacts}})
    out.number(number);
  out.end_array();
  return std::move(out).take();
}

CheckLine check_one(const config::GatewayConfig& config, const config::UpstreamSpec& spec,
                    std::chrono::milliseconds request_timeout) {
  CheckLine line{.ok = false, .subject = "upstream " + spec.node.name, .finding = {}};
  config::UpstreamSpec quick = spec;
  quick.node.timeout = std::min(quick.node.timeout, kCheckPatience);
  const Result<Way> way = way_of(config, spec, ConfigReference::kPath);
  if (!way.ok()) {
    line.finding = way.error().message;
    return line;
  }
  const auto node = gateway::ToolNode::create(quick.node, connector_of(quick, *way), {});
  const Status status = node.ok() ? (*node)->connect() : Status(node.error());
  if (!status.ok()) {
    line.finding = status.error().message;
    return line;
  }
  const std::shared_ptr<const gateway::Discovery> found = (*node)->discovery();
  line.ok = true;
  line.finding = fmt::format("{}, {} tools, {} prompts, {} resources, {} templates",
                             protocol::to_string(found->server.revision), found->tools.size(),
                             found->prompts.size(), found->resources.size(), found->templates.size());
  if (spec.node.timeout > request_timeout)
    line.finding +=
        fmt::format("; its timeout of {}s is cut to the {}s of server.request_timeout",
                    spec.node.timeout / std::chrono::seconds(1), request_timeout / std::chrono::seconds(1));
  return line;
}

}  // namespace

Result<gateway::ToolNode::Connector> connector_for(const config::GatewayConfig& config,
                                                   const config::UpstreamSpec& spec) {
  SLUICE_TRY(const Way way, way_of(config, spec, ConfigReference::kPath));
  return connector_of(spec, way);
}

Result<std::shared_ptr<gateway::ArtifactStore>> Upstreams::artifacts(const config::ArtifactsConfig& config) {
  if (artifacts_ != nullptr) {  // Connections that last keep their artifacts there.
    if (config.path != artifacts_path_) log::warning("config.needs_restart", {{"section", "artifacts"}});
    return artifacts_;
  }
  if (config.path.empty()) {
    artifacts_ = std::make_shared<gateway::InMemoryArtifactStore>(config.bounds);
  } else {
    SLUICE_TRY(artifacts_, gateway::DiskArtifactStore::open(config.path, config.bounds));
  }
  artifacts_path_ = config.path;
  return artifacts_;
}

Result<std::vector<std::shared_ptr<gateway::ToolNode>>> Upstreams::open(const config::GatewayConfig& config) {
  std::erase_if(open_, [](const Open& each) { return each.node.expired(); });
  SLUICE_TRY(const std::shared_ptr<gateway::ArtifactStore> store, artifacts(config.artifacts));
  std::shared_ptr<gateway::ToolPins> pins;
  if (std::any_of(config.upstreams.begin(), config.upstreams.end(),
                  [](const auto& spec) { return spec.pin; })) {
    SLUICE_TRY(pins, gateway::ToolPins::open(config.pins));
  }
  for (const config::UpstreamNote& note : config.notes)
    log::warning(note.is_left_out ? "config.upstream_left_out" : "config.upstream_key_ignored",
                 {{"entry", note.text}});
  std::vector<std::shared_ptr<gateway::ToolNode>> nodes;
  for (const config::UpstreamSpec& spec : config.upstreams) {
    const std::string fingerprint = fingerprint_of(config, spec);
    const auto known = std::find_if(open_.begin(), open_.end(),
                                    [&](const Open& each) { return each.fingerprint == fingerprint; });
    if (known != open_.end()) {
      if (std::shared_ptr<gateway::ToolNode> node = known->node.lock()) {
        nodes.push_back(std::move(node));
        continue;
      }
    }
    SLUICE_TRY(const Way way, way_of(config, spec, ConfigReference::kName));
    SLUICE_TRY(std::shared_ptr<gateway::ToolNode> node,
               gateway::ToolNode::create(spec.node, connector_of(spec, way),
                                         {.artifacts = store, .pins = spec.pin ? pins : nullptr}));
    open_.push_back({.fingerprint = fingerprint,
                     .node = node,
                     .tokens = way.tokens,
                     .tokens_version = way.tokens ? way.tokens->version() : ""});
    node->start();
    nodes.push_back(std::move(node));
  }
  return nodes;
}

void Upstreams::look_for_tokens() {
  for (Open& each : open_) {
    if (each.tokens == nullptr) continue;
    std::string version = each.tokens->version();
    if (version == each.tokens_version) continue;
    each.tokens_version = std::move(version);
    if (const std::shared_ptr<gateway::ToolNode> node = each.node.lock()) node->retry();
  }
}

std::vector<CheckLine> check_upstreams(const config::Config& config) {
  std::vector<std::future<CheckLine>> checks;
  for (const config::UpstreamSpec& spec : config.gateway.upstreams)
    checks.push_back(std::async(std::launch::async, [&config, &spec] {
      return check_one(config.gateway, spec, config.server.request_timeout);
    }));
  std::vector<CheckLine> lines;
  for (const config::UpstreamNote& note : config.gateway.notes)
    lines.push_back({.ok = !note.is_left_out,
                     .subject = "upstreams_file",
                     .finding = note.text + (note.is_left_out ? " (left out)" : "")});
  for (std::future<CheckLine>& each : checks) lines.push_back(each.get());
  return lines;
}

json::Array diagnose_upstreams(const std::vector<std::shared_ptr<gateway::ToolNode>>& nodes) {
  json::Array out;
  for (const std::shared_ptr<gateway::ToolNode>& node : nodes) out.emplace_back(gateway::describe(*node));
  return out;
}

}  // namespace sluice::wiring
