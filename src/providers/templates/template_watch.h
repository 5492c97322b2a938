#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/base/uri_template.h"
#include "sluice/catalog/provider.h"
#include "sluice/catalog/registry.h"
#include "sluice/templates/observed_provider.h"
#include "sluice/templates/template_spec.h"

namespace sluice::templates {

// Tells the subscribers of a template's URI when that which it leads to has changed: the resource that it
// names, or the database that its statement asks. Any thread.
class TemplateWatch {
 public:
  // Somebody subscribes to `uri`, which is one of the templates', or nobody does any more. `providers` own
  // what templates lead to.
  void set_watched(const ResourceUri& uri, bool watched);
  // Whether that which `uri` leads to can notify anybody; see ResourceProvider::can_watch.
  Status can_watch(const ResourceUri& uri) const;
  // A resource of a provider has been updated.
  void on_update(const std::string& uri);

  Status add(const TemplateSpec& spec);
  // Before anything is watched. `registry` offers the templates; watches of `providers` are counted, see
  // UpdateTap::observe.
  void start(const std::weak_ptr<catalog::Registry>& registry, const Providers& providers,
             bool has_one_database);

 private:
  struct Watched {
    UriTemplate uri;
    std::optional<UriTemplate> target;  // Nothing: it is a statement.
    std::string database;
  };
  using Uris = std::map<std::string, std::set<std::string>, std::less<>>;  // URIs of templates.

  // The template that a URI is made from; null where it is none of them.
  const Watched* find(const ResourceUri& uri, TemplateValues& values) const;
  // Where a template leads with these values. Nothing: nowhere.
  static std::optional<ResourceUri> target_of(const Watched& watched, const TemplateValues& values);
  void note(Uris& uris, const std::string& key, const std::string& uri, bool watched) SLUICE_REQUIRES(mutex_);
  std::shared_ptr<catalog::ResourceProvider> owner_of(const ResourceUri& uri) const;
  bool is_first_table(const std::string& uri, const std::string& base) const;

  std::vector<Watched> templates_;
  std::weak_ptr<catalog::Registry> registry_;                // Its provider holds this.
  std::vector<std::weak_ptr<catalog::Provider>> providers_;  // Weak: this outlives what they stand on.
  bool has_one_database_ = true;
  Mutex mutex_;
  Uris by_target_ SLUICE_GUARDED_BY(mutex_);    // By the URI they lead to.
  Uris by_database_ SLUICE_GUARDED_BY(mutex_);  // By the name of the database.
};

}  // namespace sluice::templates
