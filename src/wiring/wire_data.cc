#include "sluice/wiring/wire_data.h"

#include <algorithm>
#include <future>
#include <utility>

#include "sluice/base/log.h"
#include "sluice/base/version.h"
#include "sluice/databases/databases_provider.h"
#include "sluice/datasets/datasets_provider.h"
#include "sluice/datasets/question_tool.h"
#include "sluice/exports/file_format.h"
#include "sluice/query/functions.h"
#include "sluice/wiring/source_check.h"

#include "table_list.h"

namespace sluice::wiring {

namespace {

constexpr std::uint64_t kTokensCeiling = 25'000;
constexpr std::string_view kPortalFiles = "ckan-file";
constexpr std::uint64_t kCopiesPart = 4;  // Of the spool's bytes, for copies of files of text.

engine::EngineOptions engine_options(const config::Config& config, const std::string& spool,
                                     const std::shared_ptr<engine::Sources>& outside, DataUse use) {
  return {.folders = {spool},
          .scratch_folder = spool + "/scratch",
          .memory_bytes_max = config.engine.memory_bytes_max,
          .scratch_bytes_max = config.spool.bytes_max,
          .threads = config.engine.threads,
          .functions = query::engine_functions(),
          .pair_functions = {},
          .sources = outside,
          .transfer_bytes_max = config.transfer_bytes_max,
          .reports_progress = use == DataUse::kOneStatement};
}

datasets::Limits limits_of(const config::Config& config) {
  datasets::Limits limits{.usual = config.limits,
                          .ceiling = config.limits,
                          .confirm_rows = config.confirm_over.rows,
                          .confirm_bytes = config.confirm_over.bytes,
                          .confirm_transfer = config.confirm_over.transfer,
                          .confirm_pairs = config.confirm_over.pairs,
                          .transfer_bytes_max = config.transfer_bytes_max};
  limits.push_keys = config.query.push_down == databases::PushDown::kOn ? config.query.push_keys : 0;
  // Tokens have a default below their ceiling; an operator who sets them sets both.
  if (!config.has_max_tokens) limits.ceiling.tokens = kTokensCeiling;
  return limits;
}

exports::FileFormat file_format_of(query::Format format) {
  switch (format) {
    case query::Format::kParquet:
      return exports::FileFormat::kParquet;
    case query::Format::kArrow:
      return exports::FileFormat::kArrow;
    case query::Format::kCsv:
    case query::Format::kJson:
      break;
  }
  return exports::FileFormat::kCsv;
}

auto link_maker(std::shared_ptr<const exports::DownloadLinks> links) {
  return [links = std::move(links)](const query::Snapshot& snapshot,
                                    const datasets::DownloadRequest& request) -> datasets::Download {
    exports::DownloadLinks::Link link = links->make(snapshot, file_format_of(request.format), request.name);
    datasets::Download out{.url = std::move(link.url), .expires_at = format_utc(link.expires), .formats = {}};
    for (const exports::FileFormat format : exports::kFileFormats) out.formats.push_back(name_of(format));
    return out;
  };
}

}  // namespace

DataWiring::DataWiring(const config::Config& config, std::shared_ptr<query::Spool> spool,
                       crypto::Signer signer, DataUse use)
    : use_(use),
      tables_(system_clock()),
      spool_(std::move(spool)),
      signer_(std::move(signer)),
      engines_(engine_options(config, spool_->folder(), outside_, use)),
      counter_({.registry = registry_, .engine = engines_, .tables = tables_, .clock = system_clock()}) {}

DataWiring::~DataWiring() = default;

Result<std::unique_ptr<DataWiring>> DataWiring::open(const config::Config& config,
                                                     ProcessState& process_state,
                                                     std::shared_ptr<records::Store> records, DataUse use) {
  SLUICE_TRY(std::shared_ptr<query::Spool> spool, process_state.spool());
  std::unique_ptr<DataWiring> stack(new DataWiring(config, std::move(spool), process_state.signer(), use));
  stack->result_names_ = process_state.result_names();
  stack->links_ = process_state.download_links();
  std::vector<std::string> folders{stack->spool_->folder()};
  SLUICE_TRY(fs::PrivateFolder text, fs::PrivateFolder::make_temporary_in(stack->spool_->folder(), "text"));
  stack->copies_ = std::make_shared<query::FileCopies>(std::move(text), config.spool.bytes_max / kCopiesPart,
                                                       system_clock());
  stack->copier_ = std::make_unique<query::ColumnCopier>(
      query::ColumnCopier::Sources{.engine = stack->engines_, .copies = *stack->copies_});
  for (const collections::CollectionSpec& spec : config.collections) {
    SLUICE_TRY(stack->sources_.emplace_back(),
               collections::CollectionSource::open(spec, stack->registry_, stack->copies_));
    folders.push_back(stack->sources_.back()->folder());
  }
  stack->engines_.set_folders(std::move(folders));
  if (!config.databases.empty()) {
    SLUICE_TRY(stack->databases_,
               databases::Databases::open(config.databases, stack->registry_, stack->outside_));
  }
  if (records) {
    stack->records_ = std::make_unique<records_provider::RecordDatasets>(std::move(records), stack->registry_,
                                                                         stack->outside_);
  }
  if (config.analysis.tools && !config.analysis.equivalencies.empty()) {
    SLUICE_TRY(stack->equivalencies_, process_state.equivalencies(config.analysis.equivalencies));
  }
  auto ready = std::make_shared<std::promise<void>>();  // Of the thread below alone.
  stack->ready_ = ready->get_future().share();
  if (use == DataUse::kServe && config::profile_of(config) != datasets::ToolProfile::kFull) {
    stack->table_list_ = std::make_unique<TableList>(TableList::Sources{.registry = stack->registry_,
                                                                        .tables = stack->tables_,
                                                                        .engines = stack->engines_,
                                                                        .ready = stack->ready_});
  }
  stack->reading_ = BackgroundThread(
      "folders", [self = stack.get(), ready](const std::stop_token&) { self->read_folders(*ready); });
  return stack;
}

void DataWiring::read_folders(std::promise<void>& ready) {
  for (const auto& source : sources_) {
    if (const Status status = source->begin(); !status.ok()) {
      log::error("folder.unreadable",
                 {{"collection", source->collection().name}, {"reason", status.error().message}});
    }
  }
  if (databases_) databases_->begin();
  if (records_) {
    if (const Status status = records_->begin(); !status.ok())
      log::error("folder.unreadable", {{"collection", "records"}, {"reason", status.error().message}});
  }
  log::info("folders.read", {{"datasets", registry_.inventory().size()}});
  ready.set_value();
  if (use_ == DataUse::kServe) counter_.start();
}

std::unique_ptr<datasets::StatementRunner> DataWiring::make_statement_runner(const config::Config& config) {
  return datasets::make_statement_runner(services_of(config));
}

std::unique_ptr<datasets::DatasetReader> DataWiring::make_reader(const config::Config& config) {
  return datasets::make_dataset_reader(services_of(config));
}

std::shared_ptr<catalog::Provider> DataWiring::make_databases_provider() {
  return databases_ ? databases::make_databases_provider(*databases_, registry_) : nullptr;
}

ckan::FileQuestions DataWiring::make_portal_questions(const config::Config& config) {
  auto collection = std::make_shared<query::Collection>();
  collection->name = "portal files";
  collection->scheme = kPortalFiles;
  collection->handle_scheme = kPortalFiles;
  collection->description = "Files of CKAN portals, asked about by ckan_query_file";
  registry_.replace(collection, {});
  // Shared by both functions.
  const std::shared_ptr<datasets::QuestionTool> tool = datasets::make_question_tool(services_of(config));
  ckan::FileQuestions out;
  out.prepare = [tool](const query::DatasetPtr& dataset, const catalog::Context& context) {
    return tool->prepare(dataset, context);
  };
  out.ask = [tool](const query::DatasetPtr& dataset, const json::Object& arguments,
                   catalog::Context& context) { return tool->ask(dataset, arguments, context); };
  out.estimate = [tool](const query::DatasetPtr& dataset, const json::Object& arguments,
                        catalog::Context& context) { return tool->estimate(dataset, arguments, context); };
  out.properties = datasets::question_properties(limits_of(config));
  out.collection = std::move(collection);
  out.copies = copies_;
  out.folder = spool_->folder();
  out.bytes_max = config.spool.bytes_max / kCopiesPart;
  return out;
}

Result<datasets::DatasetProviders> DataWiring::make_providers(
    const config::Config& config, const std::shared_ptr<catalog::Provider>& records) {
  datasets::Services services = services_of(config);
  services.handles_only = !config::has_datasets(config);
  if (records) {
    services.data_type_schema = [records](const json::Object& arguments, catalog::Context& context) {
      return records->tools()->call("get_schema", arguments, context);
    };
  }
  return datasets::make_datasets_providers(std::move(services), config.tools.defined);
}

datasets::Services DataWiring::services_of(const config::Config& config) {
  datasets::Services services;
  services.registry = &registry_;
  services.engines = &engines_;
  services.spool = spool_.get();
  services.tables = &tables_;
  services.copier = copier_.get();
  services.clock = &system_clock();
  services.signer = signer_;
  services.limits = limits_of(config);
  services.profile = config::profile_of(config);
  services.version = std::string(product_version());
  services.arrow_ipc = config.arrow_ipc;
  services.analysis_tools = config.analysis.tools;
  services.equivalencies = equivalencies_;
  services.result_names = result_names_;
  services.ready = ready_;
  if (links_) services.download = link_maker(links_);
  return services;
}

}  // namespace sluice::wiring
