#include "sluice/ckan/ckan_provider.h"

#include <utility>

#include "portal_api.h"
#include "resources.h"

namespace sluice::ckan {

namespace {

class CkanProvider final : public catalog::Provider {
 public:
  explicit CkanProvider(std::unique_ptr<PortalApi> api) : api_(std::move(api)), resources_(*api_) {}

  std::string_view name() const override { return "ckan"; }
  catalog::Kinds kinds() const override { return {.resources = true, .completions = true}; }

  std::vector<protocol::ResourceTemplate> templates(const catalog::ListQuery& query) override {
    return Resources::templates(query);
  }
  Result<protocol::ReadResult> read(const ResourceUri& uri, catalog::Context& context) override {
    return resources_.read(uri, context);
  }
  Result<protocol::Completion> complete(const protocol::CompletionRequest& request,
                                        catalog::Context& context) override {
    return resources_.complete(request, context);
  }
  bool owns(const ResourceUri& uri) const override { return uri.scheme() == "ckan"; }

 private:
  const std::unique_ptr<PortalApi> api_;
  Resources resources_;
};

}  // namespace

Result<std::shared_ptr<catalog::Provider>> make_ckan_provider(const CkanSpec& spec, const Clock& clock) {
  SLUICE_TRY(std::unique_ptr<PortalApi> api, PortalApi::create(spec, clock));
  return std::make_shared<CkanProvider>(std::move(api));
}

Status check_spec(const CkanSpec& spec) {
  const Result<std::unique_ptr<PortalApi>> api = PortalApi::create(spec, system_clock());
  if (!api.ok()) return api.error();
  return {};
}

}  // namespace sluice::ckan
