#include "sluice/wiring/generation.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sluice/ckan/ckan_provider.h"
#include "sluice/diagnose/diagnose_provider.h"
#include "sluice/gateway/gateway_provider.h"
#include "sluice/mirror/mirror_provider.h"
#include "sluice/templates/template_provider.h"
#include "sluice/wiring/wire_data.h"

#include "instructions.h"
#include "source_kind.h"
#include "source_reports.h"
#include "table_list.h"
#include "wire_records.h"

namespace sluice::wiring {
namespace {

// What the providers use.
struct ProviderDependencies {
  templates::UpdateTap tap;                 // Of what templates lead to.
  std::shared_ptr<records::Store> records;  // Shared with other generations.
  std::unique_ptr<DataWiring> data;
};

// How long a server waits for a list of its tables before it begins to answer. A client on stdio asks for the
// instructions as soon as the process runs, and never again.
constexpr std::chrono::milliseconds kTableListWait{1'000};

bool is_of_datasets(const catalog::Provider& provider) {
  const std::string& name = provider.traits().name;
  return name == "datasets" || name == "databases" || name == "tools.define";
}

// Many hosts show tools only, so whatever is a resource must be within reach of a tool. The tools of the lean
// profile reach all datasets.
bool needs_resource_tools(const config::Config& config, const Providers& providers) {
  const bool is_lean = config::profile_of(config) == datasets::ToolProfile::kLean;
  return config.resource_tools && std::any_of(providers.begin(), providers.end(), [&](const auto& provider) {
           return provider->resources() != nullptr && !(is_lean && is_of_datasets(*provider));
         });
}

// In the lean profile a server of datasets alone offers nothing but the three tools.
bool needs_diagnosis(const config::Config& config, const Providers& providers) {
  return config::profile_of(config) != datasets::ToolProfile::kLean || providers.empty() ||
         std::any_of(providers.begin(), providers.end(),
                     [](const auto& provider) { return !is_of_datasets(*provider); });
}

std::function<std::string()> make_instructions(const config::Config& config, const DataWiring* data) {
  const std::string text = instructions_of(config);
  const TableList* const list = data != nullptr ? data->table_list() : nullptr;
  if (list == nullptr) return [text] { return text; };
  list->wait(kTableListWait);
  return [text, list] {
    const std::string tables = list->text();
    return tables.empty() ? text : text + "\n" + tables;
  };
}

Status add_tables(const config::Config& config, ProcessState& process_state,
                  ProviderDependencies& dependencies, Providers& providers) {
  std::shared_ptr<catalog::Provider> records;
  if (config.records) {
    SLUICE_TRY(dependencies.records, process_state.records(config));
    records = make_records_provider(config, *dependencies.records);
    providers.push_back(records);
  }
  if (!config.tools.defined.empty() && !config::has_datasets(config)) {
    return invalid_input("tools.define: there are no collections, databases or records to define tools over")
        .with_code("invalid_configuration");
  }
  if (!config::has_datasets(config) && !config.portals) return {};
  SLUICE_TRY(dependencies.data, DataWiring::open(config, process_state, dependencies.records));
  SLUICE_TRY(datasets::DatasetProviders made, dependencies.data->make_providers(config, records));
  providers.push_back(std::move(made.datasets));
  if (made.defined) providers.push_back(std::move(made.defined));
  if (auto databases = dependencies.data->make_databases_provider())
    providers.push_back(std::move(databases));
  if (config.portals) {
    SLUICE_TRY(providers.emplace_back(),
               ckan::make_ckan_provider(*config.portals, dependencies.data->make_portal_questions(config)));
  }
  return {};
}

}  // namespace

Result<NewGeneration> make_generation(const config::Config& config, ProcessState& process_state) {
  auto dependencies = std::make_shared<ProviderDependencies>();
  Providers providers;  // After what they stand on, so that they go first.
  SLUICE_CHECK(add_tables(config, process_state, *dependencies, providers));
  for (const SourceKind& kind : source_kinds()) {
    if (kind.add != nullptr) SLUICE_CHECK(kind.add(config, providers));
  }
  UpstreamNodes upstreams;
  if (!config.gateway.upstreams.empty()) {
    SLUICE_TRY(upstreams, process_state.upstreams().open(config.gateway));
    SLUICE_TRY(std::shared_ptr<gateway::ArtifactStore> artifacts,
               process_state.upstreams().artifacts(config.gateway.artifacts));
    SLUICE_TRY(providers.emplace_back(),
               gateway::make_gateway_provider(
                   upstreams, std::move(artifacts),
                   {.names = config.gateway.names, .patience = config.gateway.connect_wait}));
  }
  const DataWiring* data = dependencies->data.get();
  if (!config.templates.empty()) {
    SLUICE_TRY(
        std::shared_ptr<catalog::Provider> templates,
        templates::make_template_provider(config.templates, providers,
                                          data != nullptr ? data->databases() : nullptr, dependencies->tap));
    providers.push_back(std::move(templates));
  }
  const bool has_diagnosis = needs_diagnosis(config, providers);
  if (needs_resource_tools(config, providers)) providers.push_back(mirror::make_mirror_provider(providers));
  if (has_diagnosis)
    providers.push_back(diagnose::make_diagnose_provider(
        config.limits,
        [config, data, records = dependencies->records.get(), upstreams](const catalog::Context& context) {
          return describe_sources(config, data, records, upstreams,
                                  {.deadline = context.deadline(), .stop = context.stop()});
        }));
  NewGeneration made;
  if (data != nullptr) made.ready = data->ready();
  catalog::GenerationOptions options{
      .ground = dependencies, .tools = config.tools.rules, .instructions = make_instructions(config, data)};
  made.generation = std::make_shared<catalog::Generation>(std::move(providers), std::move(options));
  if (config::has_datasets(config)) {
    made.source = std::make_shared<const exports::RowSource>(
        exports::RowSource{.engines = &dependencies->data->engines(),
                           .spool = &dependencies->data->spool(),
                           .tools = config.tools.rules,
                           .reader = dependencies->data->make_reader(config),
                           .generation = made.generation});
  }
  return made;
}

}  // namespace sluice::wiring
