#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sluice/catalog/provider.h"

namespace sluice::templates {

using Providers = std::vector<std::shared_ptr<catalog::Provider>>;  // Shared with running requests.

// Hears of the updates of resources of several providers. It must outlive them.
class UpdateTap {
 public:
  UpdateTap();
  ~UpdateTap();
  UpdateTap(const UpdateTap&) = delete;
  UpdateTap& operator=(const UpdateTap&) = delete;

  // The same provider, which must have resources, whose updates are told to `on_update` as well, after the
  // subscribers. It is called on whatever thread the provider tells of changes, and must return at once.
  // Watches are counted: a URI is watched until as many have ended as have begun.
  std::shared_ptr<catalog::Provider> observe(std::shared_ptr<catalog::Provider> provider,
                                             std::function<void(const std::string& uri)> on_update);

 private:
  class Sink;
  class ObservedProvider;
  std::vector<std::unique_ptr<Sink>> sinks_;
};

}  // namespace sluice::templates
