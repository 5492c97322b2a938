#include "sluice/wiring/process_state.h"

#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include "sluice/base/log.h"

#include "wire_records.h"

namespace sluice::wiring {
namespace {

Result<fs::PrivateFolder> open_spool(const config::SpoolConfig& config) {
  if (config.path.empty()) return fs::PrivateFolder::make_temporary("sluice-spool");
  return fs::PrivateFolder::open(config.path);
}

auto parts(const Budget& limits) { return std::tie(limits.rows, limits.cells, limits.bytes, limits.tokens); }
auto parts(const config::ConfirmOver& confirm) {
  return std::tie(confirm.rows, confirm.bytes, confirm.transfer, confirm.pairs);
}
auto parts(const config::SpoolConfig& spool) { return std::tie(spool.path, spool.ttl, spool.bytes_max); }
auto parts(const config::RecordsConfig& records) {
  return std::tie(records.exchange, records.writable, records.retention.snapshots_max,
                  records.retention.audit_age);
}

auto parts(const config::ExportConfig& exports) {
  const exports::RestOptions rest = exports.rest.value_or(exports::RestOptions{});
  return std::make_tuple(exports.link_lifetime, exports.downloads.bytes_max, exports.rest.has_value(),
                         rest.path, rest.rows_max, rest.bytes_max, rest.basic);
}

bool is_same(const config::ServerConfig& a, const config::ServerConfig& b) {
  const auto plain = [](const config::ServerConfig& server) {
    return std::tie(server.path, server.allowed_hosts, server.allowed_origins, server.message_bytes_max,
                    server.request_timeout, server.signing_key, server.public_url, server.drain,
                    server.grace);
  };
  const auto nested = [](const config::ServerConfig& server) {
    std::vector<std::string> out;
    out.push_back(server.http ? server.http->host + " " + std::to_string(server.http->port) : "");
    out.push_back(server.tls ? server.tls->certificate_chain : "");
    out.push_back(server.tls ? server.tls->private_key : "");
    return out;
  };
  return plain(a) == plain(b) && nested(a) == nested(b);
}

bool is_same_folder(const std::string& a, const std::string& b) {
  std::error_code reason;
  return a == b || std::filesystem::equivalent(a, b, reason);
}

std::shared_ptr<const exports::DownloadLinks> make_links(const config::Config& config,
                                                         const crypto::Signer& signer) {
  if (config.server.public_url.empty() || !config.exports.makes_links) return nullptr;
  return std::make_shared<const exports::DownloadLinks>(
      exports::DownloadLinks::Options{.public_url = config.server.public_url,
                                      .ttl = config.exports.link_lifetime},
      signer, system_clock());
}

void say_needs_restart(std::string_view section) {
  log::warning("config.needs_restart", {{"section", section}});
}

}  // namespace

ProcessState::ProcessState(const config::Config& config)
    : fixed_{.server = config.server,
             .limits = config.limits,
             .confirm_over = config.confirm_over,
             .transfer_bytes_max = config.transfer_bytes_max,
             .spool = config.spool,
             .exports = config.exports},
      signer_(config.server.signing_key.empty() ? crypto::Signer::with_random_key()
                                                : crypto::Signer(config.server.signing_key)),
      links_(make_links(config, signer_)) {}

Result<std::shared_ptr<query::Spool>> ProcessState::spool() {
  if (spool_) return spool_;
  SLUICE_TRY(fs::PrivateFolder folder, open_spool(fixed_.spool));
  spool_ = std::make_shared<query::Spool>(std::move(folder),
                                          query::SpoolOptions{.lifetime = fixed_.spool.ttl,
                                                              .bytes_max = fixed_.spool.bytes_max,
                                                              .is_shared = !fixed_.spool.path.empty()},
                                          system_clock());
  return spool_;
}

const ProcessState::OpenStore* ProcessState::find_store(const std::string& path) const {
  for (const OpenStore& open : stores_) {
    if (!open.store.expired() && is_same_folder(open.config.path, path)) return &open;
  }
  return nullptr;
}

Result<std::shared_ptr<records::Store>> ProcessState::records(const config::Config& config) {
  std::erase_if(stores_, [](const OpenStore& open) { return open.store.expired(); });
  const OpenStore* open = find_store(config.records->path);
  if (std::shared_ptr<records::Store> store = open != nullptr ? open->store.lock() : nullptr) return store;
  SLUICE_TRY(const std::shared_ptr<query::Spool> spool, this->spool());
  SLUICE_TRY(fs::PrivateFolder folder, fs::PrivateFolder::make_temporary_in(spool->folder(), "records"));
  auto scratch = std::make_unique<fs::PrivateFolder>(std::move(folder));
  SLUICE_TRY(std::shared_ptr<records::Store> store, open_records(config, scratch->path()));
  stores_.push_back({.config = *config.records, .scratch = std::move(scratch), .store = store});
  return store;
}

Result<std::shared_ptr<datasets::EquivalencyStore>> ProcessState::equivalencies(const std::string& path) {
  if (std::shared_ptr<datasets::EquivalencyStore> open = equivalencies_.lock();
      open && path == equivalencies_path_)
    return open;
  SLUICE_TRY(std::shared_ptr<datasets::EquivalencyStore> opened, datasets::EquivalencyStore::open(path));
  equivalencies_ = opened;
  equivalencies_path_ = path;
  return opened;
}

void ProcessState::keep_fixed(config::Config& config) const {
  if (!is_same(config.server, fixed_.server)) say_needs_restart("server");
  std::vector<guard::Token> tokens = std::move(config.server.tokens);  // These need none.
  config.server = fixed_.server;
  config.server.tokens = std::move(tokens);
  if (parts(config.limits) != parts(fixed_.limits) ||
      parts(config.confirm_over) != parts(fixed_.confirm_over) ||
      config.transfer_bytes_max != fixed_.transfer_bytes_max)
    say_needs_restart("limits");
  config.limits = fixed_.limits;
  config.confirm_over = fixed_.confirm_over;
  config.transfer_bytes_max = fixed_.transfer_bytes_max;
  if (parts(config.exports) != parts(fixed_.exports)) say_needs_restart("downloads or rest");
  config.exports = fixed_.exports;
  if (parts(config.spool) != parts(fixed_.spool)) say_needs_restart("spool");
  config.spool = fixed_.spool;
  const OpenStore* open = config.records ? find_store(config.records->path) : nullptr;
  if (open == nullptr) return;
  if (parts(*config.records) != parts(open->config)) say_needs_restart("records");
  config.records = open->config;
}

}  // namespace sluice::wiring
