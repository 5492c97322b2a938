#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/config/config.h"
#include "sluice/crypto/signer.h"
#include "sluice/datasets/equivalency_store.h"
#include "sluice/datasets/result_names.h"
#include "sluice/exports/download_links.h"
#include "sluice/exports/source.h"
#include "sluice/fs/private_folder.h"
#include "sluice/query/spool.h"
#include "sluice/records/store.h"
#include "sluice/wiring/wire_upstreams.h"

namespace sluice::wiring {

// What lasts when another configuration takes the place of the one before: handles and names of results and
// tokens stay good, and no folder is written to by two stores. One thread at a time. Outlives what it gives.
class ProcessState {
 public:
  explicit ProcessState(const config::Config& config);

  const crypto::Signer& signer() const { return signer_; }
  // Made by the first call. Shared by the generations.
  Result<std::shared_ptr<query::Spool>> spool();
  // The names of the results in the spool. Shared by the generations.
  const std::shared_ptr<datasets::lean::ResultNames>& result_names() const { return result_names_; }
  // The store of the `records:` section: the one that is open, while anybody uses it, where the section names
  // the same folder. Shared by the generations.
  Result<std::shared_ptr<records::Store>> records(const config::Config& config);
  Result<std::shared_ptr<datasets::EquivalencyStore>> equivalencies(const std::string& path);
  Upstreams& upstreams() { return upstreams_; }
  // Where the routes beside MCP find what is served.
  exports::RowSourceSlot& sources() { return sources_; }
  // Links to results; null where nobody could follow them. Shared by the generations and the routes.
  const std::shared_ptr<const exports::DownloadLinks>& download_links() const { return links_; }

  // What of a new configuration can only be had by a restart is put back to what it was, and said in the log.
  void keep_fixed(config::Config& config) const;

 private:
  struct OpenStore {
    config::RecordsConfig config;
    std::unique_ptr<fs::PrivateFolder> scratch;
    std::weak_ptr<records::Store> store;  // Shared by the generations that use it.
  };

  const OpenStore* find_store(const std::string& path) const;  // Null where none is open.

  // What of the configuration needs a restart.
  struct FixedConfig {
    config::ServerConfig server;
    Budget limits;
    config::ConfirmOver confirm_over;
    std::uint64_t transfer_bytes_max = 0;
    config::SpoolConfig spool;
    config::ExportConfig exports;
  };

  const FixedConfig fixed_;
  const crypto::Signer signer_;
  std::shared_ptr<query::Spool> spool_;
  const std::shared_ptr<datasets::lean::ResultNames> result_names_ =  // Shared as above.
      std::make_shared<datasets::lean::ResultNames>();
  std::vector<OpenStore> stores_;
  Upstreams upstreams_;
  std::string equivalencies_path_;
  std::weak_ptr<datasets::EquivalencyStore> equivalencies_;
  const std::shared_ptr<const exports::DownloadLinks> links_;
  exports::RowSourceSlot sources_;
};

}  // namespace sluice::wiring
