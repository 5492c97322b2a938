#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/apis/api_spec.h"
#include "sluice/base/budget.h"
#include "sluice/base/limits.h"
#include "sluice/base/result.h"
#include "sluice/ckan/portal_spec.h"
#include "sluice/collections/collection_spec.h"
#include "sluice/config/environment.h"
#include "sluice/config/tools_spec.h"
#include "sluice/config/upstream_spec.h"
#include "sluice/contents/served_folder.h"
#include "sluice/databases/databases.h"
#include "sluice/exports/routes.h"
#include "sluice/files/files_provider.h"
#include "sluice/git/git_provider.h"
#include "sluice/guard/access_spec.h"
#include "sluice/host/address.h"
#include "sluice/records/store.h"
#include "sluice/templates/template_spec.h"
#include "sluice/transport/http_server.h"

namespace sluice::config {

// The `server:` section.
struct ServerConfig {
  std::optional<host::Address> http;
  std::string path = "/mcp";
  std::optional<transport::TlsFiles> tls;
  std::vector<guard::Token> tokens;
  std::vector<std::string> allowed_hosts;
  std::vector<std::string> allowed_origins;
  std::size_t message_bytes_max = kMessageBytesMax;
  std::chrono::milliseconds request_timeout = kRequestTimeout;
  std::string signing_key;  // Empty: a random one; replicas share one.
  std::string public_url;   // "https://data.example.org", as people reach the server. Empty: not said.
  // After SIGTERM the server goes on for `drain` while /readyz says 503, and then gives what is under way
  // `grace`. Absent: 5 s if anybody has asked /readyz, otherwise none.
  std::optional<std::chrono::milliseconds> drain;
  std::chrono::milliseconds grace{20'000};
};

// The `auth:` section: the identity providers whose tokens are accepted.
struct AuthConfig {
  std::vector<guard::IssuerSpec> issuers;
  std::optional<guard::ScopeSpec> scopes;
  std::chrono::milliseconds clock_skew{30'000};
  std::vector<std::string> denied;
};

// The `spool:` section: where large results wait to be read page by page.
struct SpoolConfig {
  std::string path;  // Empty: a folder that is removed when the program ends.
  std::chrono::milliseconds ttl{20 * 60 * 1000};
  std::uint64_t bytes_max = 4'000'000'000;
};

// The `downloads:` and `rest:` sections: how rows leave the server for programs that do not speak MCP.
struct ExportConfig {
  bool makes_links = false;  // Set by the command, not by the file: every caller can follow links.
  std::chrono::seconds link_lifetime{300};
  exports::DownloadOptions downloads;
  std::optional<exports::RestOptions> rest;  // Absent: there is no REST interface.
};

// The `engine:` section.
struct EngineConfig {
  std::uint64_t memory_bytes_max = 1'000'000'000;
  unsigned threads = 2;
};

// The `query:` section: what databases compute themselves.
struct QueryConfig {
  databases::PushDown push_down = databases::PushDown::kOn;
  std::uint64_t push_keys = 10'000;
};

// The `records:` section: a store of Parquet records.
struct RecordsConfig {
  std::string path;
  std::string exchange;  // The folder for imports and exports; "" for none.
  bool writable = false;
  records::Retention retention;
};

// Statements that are estimated to be larger than any of these are confirmed by the caller first.
struct ConfirmOver {
  std::uint64_t rows = 1'000'000;        // Of the answer,
  std::uint64_t bytes = 256'000'000;     // likewise.
  std::uint64_t transfer = 256'000'000;  // Bytes that databases send.
  std::uint64_t pairs = 1'000'000'000;   // Rows that joins make, whatever is left of them.
};

// `analysis_tools` and `equivalencies`.
struct AnalysisConfig {
  bool tools = false;
  std::string equivalencies;  // A file for what callers register. Empty: nothing can be registered.
};

// One configuration file, read and checked. Every section is optional.
struct Config {
  ServerConfig server;
  AuthConfig auth;
  Budget limits;
  bool has_max_tokens = false;  // `limits.max_tokens` is given, and so is the ceiling of every call.
  ConfirmOver confirm_over;
  std::uint64_t transfer_bytes_max = 4'000'000'000;  // What databases may send to one statement.
  SpoolConfig spool;
  ExportConfig exports;
  EngineConfig engine;
  QueryConfig query;
  std::vector<collections::CollectionSpec> collections;
  std::optional<RecordsConfig> records;
  std::vector<files::FolderSpec> files;    // The `files:` section: folders whose files are resources.
  std::vector<contents::FolderSpec> docs;  // The `docs:` section: folders of Markdown pages.
  std::vector<databases::DatabaseSpec> databases;
  std::vector<git::RepositorySpec> git;  // The `git:` section: repositories.
  std::vector<templates::TemplateSpec> templates;
  ToolsConfig tools;
  bool resource_tools = true;  // list_resources and read_resource, where there are resources that need them.
  std::vector<apis::ApiSpec> apis;        // The `apis:` section: HTTP APIs whose endpoints are resources.
  std::optional<ckan::CkanSpec> portals;  // The `portals:` section: CKAN portals.
  GatewayConfig gateway;                  // `upstreams:` and what belongs to them: other MCP servers.
  AnalysisConfig analysis;
  bool arrow_ipc = false;  // Arrow files beside Parquet and CSV.
};

// `text` is YAML; `name` is what errors call it. ${NAME} is replaced from the environment. Unknown keys,
// unset variables and values of the wrong kind are refused with their line. Relative paths in it are relative
// to the folder of `name`.
Result<Config> parse_config(std::string_view text, const std::string& name, const Environment& environment);

// Who may use the server.
guard::AccessSpec access_of(const Config& config);

// Whether a configuration has sources of datasets.
bool has_datasets(const Config& config);

// The profile that a configuration asks for, or else its default.
datasets::ToolProfile profile_of(const Config& config);

}  // namespace sluice::config
