#include "sluice/records_provider/record_datasets.h"

#include <chrono>
#include <set>
#include <utility>

#include "sluice/base/log.h"
#include "sluice/records/name.h"

#include "record_dataset.h"

namespace sluice::records_provider {

namespace {

constexpr std::string_view kCollection = "records";
constexpr std::chrono::seconds kIdentityLookTime{10};

std::shared_ptr<const query::Collection> make_collection() {
  query::Collection out;
  out.name = kCollection;
  out.scheme = "parquet";
  out.handle_scheme = "records";
  out.description = "Data types of the record store, as they are now";
  out.dimensions = {{.name = "data_type", .description = "Name of the data type"}};
  out.is_uniform = false;
  return std::make_shared<const query::Collection>(std::move(out));
}

}  // namespace

RecordDatasets::RecordDatasets(std::shared_ptr<records::Store> store, query::Registry& registry,
                               std::shared_ptr<engine::Sources> external_tables)
    : store_(std::move(store)),
      registry_(registry),
      external_tables_(std::move(external_tables)),
      collection_(make_collection()) {
  registry_.replace(collection_, {});
}

RecordDatasets::~RecordDatasets() {
  if (listening_ != 0) store_->unlisten(listening_);
}

Status RecordDatasets::begin() {
  listening_ = store_->listen([this](const records::StoreChange& change) { changed(change); });
  const MutexLock lock(mutex_);
  const Status status = look_at_all();
  publish();
  return status;
}

// Runs within a commit, so it looks at no more than what has changed. The registry is replaced under the
// lock: of two changes the later one is registered last.
void RecordDatasets::changed(const records::StoreChange& change) {
  if (change.data_type.empty() && !change.changes_list) return;
  const MutexLock lock(mutex_);
  if (!change.data_type.empty()) {
    if (look_at(change.data_type)) publish();
    return;
  }
  if (const Status status = look_at_all(); !status.ok())
    log::warning("records.unlisted", {{"error", status.error().message}});
  publish();
}

Status RecordDatasets::look_at_all() {
  SLUICE_TRY(const std::vector<std::string> names, store_->data_types());
  std::set<std::string> all(names.begin(), names.end());
  for (const auto& [name, dataset] : datasets_) all.insert(name);
  for (const std::string& name : all) look_at(name);
  return {};
}

bool RecordDatasets::look_at(const std::string& data_type) {
  const bool is_there =
      records::check_data_type(data_type).ok() && store_->root().stat(records::file_path(data_type)).ok();
  Result<std::shared_ptr<records::DataType>> type =
      is_there ? store_->find(data_type) : Result<std::shared_ptr<records::DataType>>(not_found(data_type));
  if (!type.ok()) return datasets_.erase(data_type) > 0;
  const Result<records::View> view =
      (*type)->glance({.deadline = system_clock().now() + kIdentityLookTime, .stop = {}});
  query::Dataset::Identity identity{.collection = collection_,
                                    .name = collection_->name + "/" + data_type,
                                    .dimensions = {data_type},
                                    .path = {},
                                    .bytes = 0,
                                    .modified = {},
                                    .version = RecordDataset::version_of(view)};
  const auto known = datasets_.find(data_type);
  if (known != datasets_.end() && known->second->identity().version == identity.version) return false;
  if (const Result<fs::Entry> file = store_->root().stat(records::file_path(data_type)); file.ok())
    identity.bytes = file->bytes;
  auto dataset = std::make_shared<const RecordDataset>(
      std::move(identity),
      RecordDataset::Sources{
          .store = store_, .data_type = *std::move(type), .external_tables = external_tables_});
  if (view.ok()) {
    dataset->set_row_count(view->rows);
  } else {
    dataset->set_count_failed(view.error().message);
  }
  datasets_.insert_or_assign(data_type, std::move(dataset));
  return true;
}

void RecordDatasets::publish() const {
  std::vector<query::DatasetPtr> datasets;
  for (const auto& [name, dataset] : datasets_) datasets.push_back(dataset);
  registry_.replace(collection_, std::move(datasets));
}

}  // namespace sluice::records_provider
