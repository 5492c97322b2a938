#include "generation.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sluice/apis/apis_provider.h"
#include "sluice/ckan/ckan_provider.h"
#include "sluice/docs/docs_provider.h"
#include "sluice/files/files_provider.h"
#include "sluice/gateway/gateway_provider.h"
#include "sluice/git/git_provider.h"
#include "sluice/mirror/mirror_provider.h"

#include "data_stack.h"
#include "diagnose_provider.h"
#include "records_stack.h"
#include "template_provider.h"

namespace sluice::app {
namespace {

using Providers = std::vector<std::shared_ptr<catalog::Provider>>;

// What the providers use.
struct Ground {
  UpdateTap tap;                            // Of what templates lead to.
  std::shared_ptr<records::Store> records;  // Shared with other generations.
  std::unique_ptr<DataStack> data;
};

// Many hosts show tools only, so whatever is a resource must be within reach of a tool.
bool has_resources(const Providers& providers) {
  return std::any_of(providers.begin(), providers.end(),
                     [](const auto& provider) { return provider->kinds().resources; });
}

Status add_tables(const Config& config, Lasting& lasting, Ground& ground, Providers& providers) {
  std::shared_ptr<catalog::Provider> records;
  if (config.records) {
    SLUICE_TRY(ground.records, lasting.records(config));
    records = make_records_provider(config, *ground.records);
    providers.push_back(records);
  }
  if (config.collections.empty() && config.databases.empty() && !config.portals) return {};
  SLUICE_TRY(ground.data, DataStack::open(config, lasting));
  providers.push_back(ground.data->make_provider(config, records));
  if (auto databases = ground.data->make_databases_provider()) providers.push_back(std::move(databases));
  if (config.portals) {
    SLUICE_TRY(providers.emplace_back(),
               ckan::make_ckan_provider(*config.portals, ground.data->make_portal_questions(config)));
  }
  return {};
}

Status add_resources(const Config& config, Providers& providers) {
  if (!config.files.empty()) {
    SLUICE_TRY(providers.emplace_back(), files::make_files_provider(config.files));
  }
  if (!config.docs.empty()) {
    SLUICE_TRY(providers.emplace_back(), docs::make_docs_provider(config.docs));
  }
  if (!config.git.empty()) {
    SLUICE_TRY(providers.emplace_back(), git::make_git_provider(config.git));
  }
  if (!config.apis.empty()) {
    SLUICE_TRY(providers.emplace_back(), apis::make_apis_provider(config.apis));
  }
  return {};
}

}  // namespace

Result<Made> make_generation(const Config& config, Lasting& lasting) {
  auto ground = std::make_shared<Ground>();
  Providers providers;  // After what they stand on, so that they go first.
  SLUICE_CHECK(add_tables(config, lasting, *ground, providers));
  SLUICE_CHECK(add_resources(config, providers));
  std::vector<std::shared_ptr<gateway::ToolNode>> upstreams;
  if (!config.gateway.upstreams.empty()) {
    SLUICE_TRY(upstreams, lasting.upstreams().open(config.gateway));
    SLUICE_TRY(std::shared_ptr<gateway::ArtifactStore> artifacts,
               lasting.upstreams().artifacts(config.gateway.artifacts));
    SLUICE_TRY(providers.emplace_back(),
               gateway::make_gateway_provider(
                   upstreams, std::move(artifacts),
                   {.names = config.gateway.names, .patience = config.gateway.connect_wait}));
  }
  const DataStack* data = ground->data.get();
  if (!config.templates.empty()) {
    SLUICE_TRY(std::shared_ptr<catalog::Provider> templates,
               make_template_provider(config.templates, providers,
                                      data != nullptr ? data->databases() : nullptr, ground->tap));
    providers.push_back(std::move(templates));
  }
  if (config.resource_tools && has_resources(providers))
    providers.push_back(mirror::make_mirror_provider(providers));
  providers.push_back(make_diagnose_provider(config, data, ground->records.get(), std::move(upstreams)));
  Made made;
  if (data != nullptr) made.ready = data->ready();
  made.generation = std::make_shared<catalog::Generation>(std::move(providers), std::move(ground));
  return made;
}

}  // namespace sluice::app
