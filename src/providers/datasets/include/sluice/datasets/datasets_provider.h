#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/budget.h"
#include "sluice/base/caller.h"
#include "sluice/base/clock.h"
#include "sluice/catalog/provider.h"
#include "sluice/crypto/signer.h"
#include "sluice/datasets/defined_tool.h"
#include "sluice/datasets/equivalency_store.h"
#include "sluice/datasets/result_names.h"
#include "sluice/query/column_copier.h"
#include "sluice/query/engine_slot.h"
#include "sluice/query/format.h"
#include "sluice/query/registry.h"
#include "sluice/query/spool.h"
#include "sluice/query/tables.h"

namespace sluice::datasets {

struct Limits {
  Budget usual;    // Where a call says nothing.
  Budget ceiling;  // What a call may ask for.
  std::uint64_t confirm_rows = 1'000'000;
  std::uint64_t confirm_bytes = std::uint64_t{256} << 20U;
  std::uint64_t confirm_transfer = 256'000'000;      // Bytes that databases send.
  std::uint64_t confirm_pairs = 1'000'000'000;       // Rows that joins make.
  std::uint64_t transfer_bytes_max = 4'000'000'000;  // As that of the engine.
  std::uint64_t plot_bytes = 256'000;                // Of a picture as PNG.
  std::uint64_t push_keys = 10'000;  // Keys of a table that are sent to another one's database. 0: none.
};

// Which tools are offered over the datasets: three that answer in text and cost an agent little, the fourteen
// of the full interface, or both.
enum class ToolProfile : std::uint8_t { kLean, kFull, kAll };

// Where a result can be fetched as a file by a program that does not speak MCP.
struct Download {
  std::string url;  // Of one format; the others have another ending in its place.
  std::string expires_at;
  std::vector<std::string_view> formats;  // Endings; literals.
};
struct DownloadRequest {
  query::Format format = query::Format::kJson;  // kJson: any.
  std::string name;                             // Of the result; may be empty.
};

// What the tools work with. All of it must outlive the provider.
struct Services {
  query::Registry* registry = nullptr;
  query::EngineSlot* engines = nullptr;
  query::Spool* spool = nullptr;
  query::Tables* tables = nullptr;
  query::ColumnCopier* copier = nullptr;  // Null: files are always read as they are.
  const Clock* clock = nullptr;
  crypto::Signer signer = crypto::Signer::with_random_key();
  Limits limits;
  ToolProfile profile = ToolProfile::kFull;
  std::chrono::milliseconds columns_wait{1'000};   // For those of all tables, before `catalog` does without.
  std::chrono::milliseconds statistics_wait{300};  // For those of columns, before `describe` does without.
  std::string version;
  // Answers get_schema for `data_type`, which is no dataset; may be empty.
  std::function<Result<protocol::ToolResult>(const json::Object& arguments, catalog::Context& context)>
      data_type_schema;
  Policies policies;          // The rules of callers.
  bool handles_only = false;  // There are no datasets of its own: only pages of results are offered.
  bool arrow_ipc = false;     // Files of that format are offered.
  bool analysis_tools = false;
  // Where registered equivalencies are kept; shared with nobody else. Null: they cannot be registered.
  std::shared_ptr<EquivalencyStore> equivalencies;
  // Names of the results in the spool, shared with other providers over that spool. Null: names of its own.
  std::shared_ptr<lean::ResultNames> result_names;
  // Makes a link to a result. Empty: callers cannot follow links.
  std::function<Download(const query::Snapshot& snapshot, const DownloadRequest& request)> download;
  std::shared_future<void> ready;  // Until then the registry does not have all datasets. Invalid: it has.
};

// Every tool, prompt and resource over the datasets of the registry.
std::shared_ptr<catalog::Provider> make_datasets_provider(Services services);

struct DatasetProviders {
  std::shared_ptr<catalog::Provider> datasets;
  std::shared_ptr<catalog::Provider> defined;  // The operator's own tools; null if there are none.
};
// The same, and the tools that the operator has defined over the datasets. Results of one are tables of the
// other. Fails if a statement is not a SELECT; the error begins with its place in the configuration.
Result<DatasetProviders> make_datasets_providers(Services services, std::vector<DefinedTool> tools);

}  // namespace sluice::datasets
