#include "data_server.h"

#include <fstream>

#include "sluice/collections/collection_spec.h"
#include "sluice/fs/scan.h"
#include "sluice/json/reader.h"
#include "sluice/query/functions.h"

namespace sluice::datasets::testing {

namespace {

template <typename T>
T take(Result<T> result) {
  if (!result.ok()) {
    ADD_FAILURE() << result.error().message;
    std::abort();
  }
  return std::move(result).value();
}

// {year}_{source_type}
std::vector<std::string> dimensions_of(const query::Collection& collection, const std::string& stem) {
  if (collection.dimensions.empty()) return {};
  const std::size_t mark = stem.find('_');
  return {stem.substr(0, mark), stem.substr(mark + 1)};
}

std::string version_of(const fs::Entry& entry) {
  return std::to_string(entry.bytes) + "-" + std::to_string(entry.identity.inode) + "-" +
         std::to_string(entry.modified.time_since_epoch().count());
}

}  // namespace

std::shared_ptr<const query::Collection> budget_collection() {
  const collections::CollectionSpec spec = take(collections::preset("budget"));
  auto out = std::make_shared<query::Collection>();
  out->name = spec.name;
  out->scheme = spec.scheme;
  out->description = spec.description;
  out->dimensions = spec.dimensions;
  out->unit = spec.unit;
  out->types = spec.types;
  out->roles = spec.roles;
  out->repeated_totals = spec.repeated_totals;
  out->ratios = spec.ratios;
  out->overall_suffix = spec.overall_suffix;
  out->summaries = spec.summaries;
  out->entity = spec.entity;
  out->topics = spec.topics;
  return out;
}

std::shared_ptr<const query::Collection> plain_collection() {
  auto out = std::make_shared<query::Collection>();
  out->name = "data";
  out->scheme = "data";
  return out;
}

DataServer DataServer::budget(DataServerOptions options) {
  return {test_data("budget/processed"), budget_collection(), options};
}

DataServer::DataServer(std::string folder, std::shared_ptr<const query::Collection> collection,
                       DataServerOptions options)
    : folder_(std::filesystem::canonical(folder).string()), collection_(std::move(collection)) {
  root_ = std::make_shared<const fs::Root>(take(fs::Root::open(folder_)));
  tables_ = std::make_unique<query::Tables>(*clock);
  spool_ = std::make_unique<query::Spool>(take(fs::PrivateFolder::make_temporary("sluice-test")),
                                          options.spool, *clock);
  engines_ =
      std::make_unique<query::EngineSlot>(engine::EngineOptions{.folders = {folder_, spool_->folder()},
                                                                .memory_bytes_max = options.memory_bytes_max,
                                                                .functions = query::engine_functions()});
  copies_ = std::make_shared<query::FileCopies>(
      take(fs::PrivateFolder::make_temporary_in(spool_->folder(), "text")), options.copies_bytes_max, *clock);
  copier_ = std::make_unique<query::ColumnCopier>(
      query::ColumnCopier::Sources{.engine = *engines_, .copies = *copies_},
      [copied = copied_.get()](const query::DatasetPtr& dataset, const Status& status) {
        const std::lock_guard lock(copied->mutex);
        copied->by_version.insert_or_assign(dataset->name() + dataset->identity().version, status);
        copied->changed.notify_all();
      });
  rescan();
  Services services;
  services.registry = &registry;
  services.engines = engines_.get();
  services.spool = spool_.get();
  services.tables = tables_.get();
  services.copier = copier_.get();
  services.clock = clock.get();
  services.limits = options.limits;
  services.version = "test";
  services.arrow_ipc = options.arrow_ipc;
  services.analysis_tools = options.analysis_tools;
  services.profile = options.profile;
  services.policies = options.policies;
  services.columns_wait = std::chrono::seconds(30);  // Also on a busy machine.
  services.statistics_wait = std::chrono::seconds(30);
  if (!options.equivalencies.empty())
    services.equivalencies = take(EquivalencyStore::open(options.equivalencies));
  server_ = take(server::Server::create({.request_timeout = options.request_timeout},
                                        {make_datasets_provider(std::move(services))}));
  client_ = connect(server::testing::kModernPipe);
}

void DataServer::rescan() {
  std::vector<query::DatasetPtr> datasets;
  for (const fs::ScannedEntry& found : take(fs::scan(*root_, "")).entries) {
    const auto kind = query::kind_of_file(found.path);
    const bool is_beside = !collection_->overall_suffix.empty() && found.path.ends_with(".json");
    if (!kind || is_beside || found.entry.kind != fs::EntryKind::kFile) continue;
    query::Dataset::Identity identity{.collection = collection_,
                                      .name = kind->stem,
                                      .dimensions = dimensions_of(*collection_, kind->stem),
                                      .path = found.path,
                                      .bytes = found.entry.bytes,
                                      .modified = found.entry.modified,
                                      .version = version_of(found.entry)};
    datasets.push_back(std::make_shared<query::FileDataset>(std::move(identity), root_, *kind, copies_));
  }
  registry.replace(collection_, std::move(datasets));
}

Status DataServer::copied(const std::string& dataset) {
  const query::DatasetPtr found = registry.inventory().find(dataset);
  if (!found) return not_found(dataset);
  std::unique_lock lock(copied_->mutex);
  const auto is_done = [&] { return copied_->by_version.contains(dataset + found->identity().version); };
  if (!copied_->changed.wait_for(lock, server::testing::kPatience, is_done)) return deadline_exceeded();
  return std::move(copied_->by_version.extract(dataset + found->identity().version).mapped());
}

std::unique_ptr<TestClient> DataServer::connect(Dialect dialect, ClientOptions options) {
  return std::make_unique<TestClient>(*server_, dialect, std::move(options));
}

std::string DataServer::text(std::string_view tool, std::string_view arguments) {
  const WireMessage reply = client_->call_tool(tool, arguments);
  EXPECT_TRUE(reply.is_result()) << reply.error();
  return reply.text({"result", "content", 0, "text"});
}

json::Value DataServer::call(std::string_view tool, std::string_view arguments) {
  const std::string answer = text(tool, arguments);
  Result<json::Value> value = json::read(answer, {.bytes_max = 8'000'000, .values_max = 4'000'000});
  EXPECT_TRUE(value.ok()) << answer.substr(0, 500);
  return value.ok() ? *std::move(value) : json::Value();
}

std::string DataServer::code(std::string_view tool, std::string_view arguments) {
  const json::Value answer = call(tool, arguments);
  const json::Value* code = answer.find("code");
  const json::Value* hint = answer.find("hint");
  if (code == nullptr || code->if_string() == nullptr) return "";
  EXPECT_TRUE(hint != nullptr && hint->if_string() != nullptr && !hint->if_string()->empty())
      << json::to_text(answer);
  return *code->if_string();
}

TestFolder::TestFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "sluice_datasets_XXXXXX").string();
  EXPECT_NE(mkdtemp(name.data()), nullptr);
  path_ = name;
}

TestFolder::~TestFolder() { std::filesystem::remove_all(path_); }

void TestFolder::write(const std::string& name, std::string_view content) const {
  std::filesystem::create_directories((path_ / name).parent_path());
  std::ofstream(path_ / name, std::ios::binary) << content;
}

void TestFolder::write_settled(const std::string& name, std::string_view content, int hours_ago) const {
  write(name, content);
  std::filesystem::last_write_time(
      path_ / name, std::filesystem::file_time_type::clock::now() - std::chrono::hours(hours_ago));
}

std::string test_data(std::string_view path) {
  return std::string(SLUICE_TEST_DATA) + "/" + std::string(path);
}

}  // namespace sluice::datasets::testing
