#include "wire_records.h"

#include <utility>

#include <fmt/format.h>

#include "sluice/records_provider/records_provider.h"

namespace sluice::wiring {

Result<std::unique_ptr<records::Store>> open_records(const config::Config& config,
                                                     const std::string& scratch_folder) {
  records::StoreOptions options;
  options.path = config.records->path;
  options.exchange_path = config.records->exchange;
  options.writable = config.records->writable;
  options.retention = config.records->retention;
  options.memory_bytes_max = config.engine.memory_bytes_max;
  options.threads = config.engine.threads;
  options.scratch_folder = scratch_folder;
  options.scratch_bytes_max = config.spool.bytes_max;
  return records::Store::open(options);
}

std::shared_ptr<catalog::Provider> make_records_provider(const config::Config& config,
                                                         records::Store& store) {
  return records_provider::make_records_provider(
      {.store = &store,
       .offers_get_schema = config::profile_of(config) == datasets::ToolProfile::kLean,
       .budget = config.limits});
}

std::vector<CheckLine> check_records(const config::Config& config) {
  std::vector<CheckLine> lines;
  if (!config.records) return lines;
  config::Config reading = config;  // A check leaves everything as it is.
  reading.records->writable = false;
  const Result<std::unique_ptr<records::Store>> store = open_records(reading);
  if (!store.ok()) return {{.ok = false, .subject = "records", .finding = store.error().message}};
  const Result<std::vector<std::string>> names = (*store)->data_types();
  if (!names.ok()) return {{.ok = false, .subject = "records", .finding = names.error().message}};
  lines.push_back({.ok = true,
                   .subject = "records",
                   .finding = fmt::format("{} data types, {}", names->size(),
                                          config.records->writable ? "writable" : "read-only")});
  for (const std::string& name : *names) {
    const Result<std::shared_ptr<records::DataType>> type = (*store)->find(name);
    const Result<records::View> view = type.ok() ? (*type)->view({}) : Result<records::View>(type.error());
    if (view.ok()) continue;
    lines.push_back({.ok = false, .subject = "records " + name, .finding = view.error().message});
  }
  return lines;
}

}  // namespace sluice::wiring
