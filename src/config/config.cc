#include "sluice/config/config.h"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "api_config.h"
#include "auth_config.h"
#include "collection_config.h"
#include "config_path.h"
#include "database_config.h"
#include "export_config.h"
#include "folder_config.h"
#include "git_config.h"
#include "portal_config.h"
#include "secret.h"
#include "template_config.h"
#include "tool_config.h"
#include "upstream_config.h"
#include "yaml_map.h"

namespace sluice::config {
namespace {

Status read_tokens(YamlMap& section, const SecretPlace& place, ServerConfig& server) {
  SLUICE_TRY(std::vector<YamlMap> tokens, section.maps("tokens"));
  for (YamlMap& token : tokens) {
    guard::Token read;
    SLUICE_TRY(read.name, token.required_text("name"));
    SLUICE_TRY(read.secret, read_secret(token, place));
    SLUICE_CHECK(token.finish());
    server.tokens.push_back(std::move(read));
  }
  return {};
}

Status read_tls(YamlMap& section, const std::string& file, ServerConfig& server) {
  SLUICE_TRY(std::optional<YamlMap> tls, section.map("tls"));
  if (!tls) return {};
  transport::TlsFiles files;
  SLUICE_TRY(files.certificate_chain, tls->required_text("certificate"));
  SLUICE_TRY(files.private_key, tls->required_text("key"));
  files.certificate_chain = path_from(file, files.certificate_chain);
  files.private_key = path_from(file, files.private_key);
  SLUICE_CHECK(tls->finish());
  server.tls = std::move(files);
  return {};
}

Status read_server(YamlMap& section, const std::string& file, const Environment& environment,
                   ServerConfig& server) {
  SLUICE_TRY(const std::optional<std::string> http, section.text("http"));
  if (http) {
    Result<host::Address> address = host::parse_address(*http);
    if (!address) return section.error("http", address.error().message);
    server.http = *std::move(address);
  }
  SLUICE_TRY(const std::optional<std::string> path, section.text("path"));
  if (path && !path->starts_with('/')) return section.error("path", "must begin with /");
  server.path = path.value_or(server.path);
  SLUICE_CHECK(read_tls(section, file, server));
  SLUICE_CHECK(read_tokens(section, {.file = file, .environment = environment}, server));
  SLUICE_TRY(server.allowed_hosts, section.texts("allowed_hosts"));
  SLUICE_TRY(server.allowed_origins, section.texts("allowed_origins"));
  SLUICE_TRY(const std::optional<std::uint64_t> bytes, section.count("max_message_bytes"));
  if (bytes && (*bytes < 1024 || *bytes > kReplyBytesMax))
    return section.error("max_message_bytes", fmt::format("must be 1024 to {}", kReplyBytesMax));
  server.message_bytes_max = bytes.value_or(server.message_bytes_max);
  SLUICE_TRY(const std::optional<std::chrono::milliseconds> timeout, section.duration("request_timeout"));
  server.request_timeout = timeout.value_or(server.request_timeout);
  SLUICE_TRY(server.public_url, read_public_url(section));
  SLUICE_TRY(server.drain, section.duration("drain"));
  SLUICE_TRY(const std::optional<std::chrono::milliseconds> grace, section.duration("grace"));
  server.grace = grace.value_or(server.grace);
  SLUICE_TRY(std::optional<YamlMap> key, section.map("signing_key"));
  if (key) {
    SLUICE_TRY(server.signing_key, read_secret(*key, {.file = file, .environment = environment}));
    constexpr std::size_t kKeyBytesMin = 32;
    if (server.signing_key.size() < kKeyBytesMin)
      return key->error("", fmt::format("needs at least {} characters", kKeyBytesMin));
    SLUICE_CHECK(key->finish());
  }
  return section.finish();
}

Status read_confirm_over(YamlMap& section, ConfirmOver& confirm) {
  SLUICE_TRY(const std::optional<std::uint64_t> rows, section.count("rows"));
  SLUICE_TRY(const std::optional<std::uint64_t> bytes, section.count("bytes"));
  SLUICE_TRY(const std::optional<std::uint64_t> transfer, section.count("transfer"));
  SLUICE_TRY(const std::optional<std::uint64_t> pairs, section.count("pairs"));
  confirm.rows = rows.value_or(confirm.rows);
  confirm.bytes = bytes.value_or(confirm.bytes);
  confirm.transfer = transfer.value_or(confirm.transfer);
  confirm.pairs = pairs.value_or(confirm.pairs);
  return section.finish();
}

Status read_answer_limits(YamlMap& section, Config& config) {
  Budget& limits = config.limits;
  SLUICE_TRY(const std::optional<std::uint64_t> rows, section.count("max_rows"));
  SLUICE_TRY(const std::optional<std::uint64_t> cells, section.count("max_cells"));
  SLUICE_TRY(const std::optional<std::uint64_t> bytes, section.count("max_bytes"));
  SLUICE_TRY(const std::optional<std::uint64_t> tokens, section.count("max_tokens"));
  limits.rows = rows.value_or(limits.rows);
  limits.cells = cells.value_or(limits.cells);
  limits.bytes = bytes.value_or(limits.bytes);
  limits.tokens = tokens.value_or(limits.tokens);
  config.has_max_tokens = tokens.has_value();
  SLUICE_TRY(const std::optional<std::uint64_t> transfer, section.count("max_transfer"));
  config.transfer_bytes_max = transfer.value_or(config.transfer_bytes_max);
  SLUICE_TRY(std::optional<YamlMap> over, section.map("confirm_over"));
  if (over) SLUICE_CHECK(read_confirm_over(*over, config.confirm_over));
  return section.finish();
}

Status read_spool(YamlMap& section, const std::string& file, SpoolConfig& spool) {
  SLUICE_TRY(const std::optional<std::string> path, section.text("path"));
  SLUICE_TRY(const std::optional<std::chrono::milliseconds> ttl, section.duration("ttl"));
  SLUICE_TRY(const std::optional<std::uint64_t> bytes, section.count("max_bytes"));
  if (path) spool.path = path_from(file, *path);
  spool.ttl = ttl.value_or(spool.ttl);
  spool.bytes_max = bytes.value_or(spool.bytes_max);
  if (spool.ttl < std::chrono::seconds(1)) return section.error("ttl", "must be 1s or more");
  return section.finish();
}

Status read_engine(YamlMap& section, EngineConfig& engine) {
  constexpr std::uint64_t kMemoryMin = 64'000'000;  // The engine itself needs as much.
  constexpr unsigned kThreadsMax = 256;
  SLUICE_TRY(const std::optional<std::uint64_t> memory, section.count("memory"));
  if (memory && *memory < kMemoryMin) return section.error("memory", "must be 64MB or more");
  engine.memory_bytes_max = memory.value_or(engine.memory_bytes_max);
  SLUICE_TRY(const std::optional<std::uint64_t> threads, section.count("threads"));
  if (threads && (*threads == 0 || *threads > kThreadsMax))
    return section.error("threads", fmt::format("must be 1 to {}", kThreadsMax));
  engine.threads = static_cast<unsigned>(threads.value_or(engine.threads));
  return section.finish();
}

Status read_query_config(YamlMap& section, QueryConfig& query) {
  constexpr std::uint64_t kKeysMax = 100'000;
  SLUICE_TRY(const std::optional<std::string> push_down, section.text("push_down"));
  if (push_down == "off") {
    query.push_down = databases::PushDown::kOff;
  } else if (push_down == "filters") {
    query.push_down = databases::PushDown::kFilters;
  } else if (push_down && *push_down != "on") {
    return section.error("push_down", "must be on, filters or off");
  }
  SLUICE_TRY(const std::optional<std::uint64_t> keys, section.count("push_keys"));
  if (keys && *keys > kKeysMax) return section.error("push_keys", fmt::format("must be 0 to {}", kKeysMax));
  query.push_keys = keys.value_or(query.push_keys);
  return section.finish();
}

Result<RecordsConfig> read_records(YamlMap& section, const std::string& file) {
  RecordsConfig records;
  SLUICE_TRY(records.path, section.required_text("path"));
  records.path = path_from(file, records.path);
  SLUICE_TRY(const std::optional<std::string> exchange, section.text("exchange"));
  if (exchange) records.exchange = path_from(file, *exchange);
  SLUICE_TRY(const std::optional<bool> writable, section.flag("writable"));
  records.writable = writable.value_or(false);
  SLUICE_TRY(std::optional<YamlMap> retention, section.map("retention"));
  if (retention) {
    SLUICE_TRY(const std::optional<std::uint64_t> snapshots, retention->count("snapshots"));
    records.retention.snapshots_max = snapshots.value_or(records.retention.snapshots_max);
    SLUICE_TRY(const std::optional<std::chrono::milliseconds> audit, retention->duration("audit"));
    if (audit) records.retention.audit_age = *audit;
    SLUICE_CHECK(retention->finish());
  }
  SLUICE_CHECK(section.finish());
  return records;
}

Status read_analysis(YamlMap& config, const std::string& file, AnalysisConfig& analysis) {
  SLUICE_TRY(const std::optional<bool> tools, config.flag("analysis_tools"));
  analysis.tools = tools.value_or(false);
  SLUICE_TRY(const std::optional<std::string> equivalencies, config.text("equivalencies"));
  if (equivalencies) analysis.equivalencies = path_from(file, *equivalencies);
  return {};
}

// Where the documents of a text begin. Ends at the second one: of a text that begins with a comma the library
// makes one document after the other and never gets past it.
class DocumentStarts final : public YAML::EventHandler {
 public:
  static std::vector<YAML::Mark> of(std::string_view text) {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    DocumentStarts handler;
    while (handler.starts_.size() < 2 && parser.HandleNextDocument(handler)) {
    }
    return std::move(handler.starts_);
  }

  void OnDocumentStart(const YAML::Mark& mark) override { starts_.push_back(mark); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
  }
  void OnMapEnd() override {}

 private:
  std::vector<YAML::Mark> starts_;
};

Result<YAML::Node> load(std::string_view text, const std::string& name) {
  // The reader of YAML ends there, and takes what stands before it for the whole file.
  if (text.find('\0') != std::string_view::npos) {
    return invalid_input(fmt::format("{}: holds the character U+0000", name))
        .with_code("invalid_configuration");
  }
  try {
    const std::vector<YAML::Mark> starts = DocumentStarts::of(text);
    if (starts.size() <= 1) return YAML::Load(std::string(text));
    const bool is_stuck = starts[0].pos == starts[1].pos;
    return invalid_input(fmt::format("{}:{}: {}", name, starts[1].line + 1,
                                     is_stuck ? "not valid YAML: nothing can begin with this character"
                                              : "a second document; a configuration is one document"))
        .with_code("invalid_configuration");
  } catch (const YAML::Exception& failure) {
    return invalid_input(fmt::format("{}:{}: not valid YAML: {}", name, failure.mark.line + 1, failure.msg))
        .with_code("invalid_configuration");
  }
}

}  // namespace

Result<Config> parse_config(std::string_view text, const std::string& name, const Environment& environment) {
  SLUICE_TRY(const YAML::Node root, load(text, name));
  SLUICE_TRY(YamlMap file, YamlMap::of(root, "", name, environment));
  Config config;
  SLUICE_TRY(std::optional<YamlMap> server, file.map("server"));
  if (server) SLUICE_CHECK(read_server(*server, name, environment, config.server));
  SLUICE_TRY(std::optional<YamlMap> limits, file.map("limits"));
  if (limits) SLUICE_CHECK(read_answer_limits(*limits, config));
  SLUICE_TRY(std::optional<YamlMap> spool, file.map("spool"));
  if (spool) SLUICE_CHECK(read_spool(*spool, name, config.spool));
  SLUICE_CHECK(read_exports(file, config));
  SLUICE_TRY(std::optional<YamlMap> engine, file.map("engine"));
  if (engine) SLUICE_CHECK(read_engine(*engine, config.engine));
  SLUICE_TRY(std::optional<YamlMap> query, file.map("query"));
  if (query) SLUICE_CHECK(read_query_config(*query, config.query));
  SLUICE_TRY(config.collections, read_collections(file, name));
  SLUICE_TRY(std::optional<YamlMap> records, file.map("records"));
  if (records) {
    SLUICE_TRY(config.records, read_records(*records, name));
  }
  SLUICE_TRY(config.files, read_files(file, name));
  SLUICE_TRY(config.docs, read_docs(file, name));
  SLUICE_TRY(DatabaseSections sections, read_databases(file, name));
  config.databases = std::move(sections.databases);
  for (collections::CollectionSpec& spec : sections.duckdb_files) {
    const auto has_name = [&](const collections::CollectionSpec& other) { return other.name == spec.name; };
    if (std::any_of(config.collections.begin(), config.collections.end(), has_name))
      return invalid_input(fmt::format("{}: a collection and a database are called {}", name, spec.name))
          .with_code("invalid_configuration");
    config.collections.push_back(std::move(spec));
  }
  for (databases::DatabaseSpec& database : config.databases) database.push_down = config.query.push_down;
  SLUICE_TRY(config.git, read_repositories(file, name));
  SLUICE_TRY(const std::optional<bool> resource_tools, file.flag("resource_tools"));
  config.resource_tools = resource_tools.value_or(true);
  SLUICE_TRY(config.tools, read_tools(file));
  SLUICE_TRY(config.apis, read_apis(file, name));
  SLUICE_TRY(config.gateway, read_upstreams(file, name, environment));
  SLUICE_CHECK(read_auth(file, name, environment, config));
  SLUICE_TRY(config.portals, read_portals(file, name, environment));
  SLUICE_TRY(config.templates, read_templates(file, config));
  SLUICE_CHECK(read_analysis(file, name, config.analysis));
  SLUICE_TRY(const std::optional<bool> arrow, file.flag("arrow_ipc"));
  config.arrow_ipc = arrow.value_or(false);
  SLUICE_CHECK(file.finish());
  return config;
}

}  // namespace sluice::config
