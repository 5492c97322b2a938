#include "template_watch.h"

#include <optional>
#include <utility>

#include "sluice/base/uri.h"

namespace sluice::templates {

namespace {

constexpr std::string_view kDatabaseScheme = "db://";

}  // namespace

Status TemplateWatch::add(const TemplateSpec& spec) {
  SLUICE_TRY(UriTemplate uri, UriTemplate::parse(spec.uri));
  Watched watched{.uri = std::move(uri), .target = std::nullopt, .database = spec.database};
  if (spec.sql.empty()) {
    SLUICE_TRY(watched.target, UriTemplate::parse(spec.target));
  }
  templates_.push_back(std::move(watched));
  return {};
}

void TemplateWatch::start(const std::weak_ptr<catalog::Registry>& registry, const Providers& providers,
                          bool has_one_database) {
  registry_ = registry;
  providers_.assign(providers.begin(), providers.end());
  has_one_database_ = has_one_database;
}

const TemplateWatch::Watched* TemplateWatch::find(const ResourceUri& uri, TemplateValues& values) const {
  for (const Watched& one : templates_) {
    std::optional<TemplateValues> matched = one.uri.match(uri.text());
    if (!matched) continue;
    values = *std::move(matched);
    return &one;
  }
  return nullptr;
}

std::optional<ResourceUri> TemplateWatch::target_of(const Watched& watched, const TemplateValues& values) {
  const Result<std::string> expanded = watched.target->expand(values);
  Result<ResourceUri> target =
      expanded.ok() ? ResourceUri::parse(*expanded) : Result<ResourceUri>(expanded.error());
  return target.ok() ? std::optional<ResourceUri>(*std::move(target)) : std::nullopt;
}

Status TemplateWatch::can_watch(const ResourceUri& uri) const {
  TemplateValues values;
  const Watched* found = find(uri, values);
  if (found == nullptr || !found->target) return {};
  const std::optional<ResourceUri> target = target_of(*found, values);
  const std::shared_ptr<catalog::ResourceProvider> owner = target ? owner_of(*target) : nullptr;
  if (owner == nullptr) return protocol::resource_not_found(uri.text());
  const Status status = owner->can_watch(*target);
  // Where it leads is the operator's affair.
  if (!status.ok() && status.error().kind == ErrorKind::kNotFound)
    return protocol::resource_not_found(uri.text());
  return status;
}

void TemplateWatch::set_watched(const ResourceUri& uri, bool watched) {
  TemplateValues values;
  const Watched* found = find(uri, values);
  if (found == nullptr) return;
  if (!found->target) {
    const MutexLock lock(mutex_);
    return note(by_database_, found->database, std::string(uri.text()), watched);
  }
  const std::optional<ResourceUri> target = target_of(*found, values);
  if (!target) return;  // It leads nowhere.
  {
    const MutexLock lock(mutex_);
    note(by_target_, std::string(target->text()), std::string(uri.text()), watched);
  }
  const std::shared_ptr<catalog::ResourceProvider> owner = owner_of(*target);
  if (owner == nullptr) return;
  if (watched) {
    owner->watch(*target);
  } else {
    owner->unwatch(*target);
  }
}

void TemplateWatch::note(Uris& uris, const std::string& key, const std::string& uri, bool watched) {
  if (watched) {
    uris[key].insert(uri);
    return;
  }
  const auto found = uris.find(key);
  if (found == uris.end()) return;
  found->second.erase(uri);
  if (found->second.empty()) uris.erase(found);
}

std::shared_ptr<catalog::ResourceProvider> TemplateWatch::owner_of(const ResourceUri& uri) const {
  for (const auto& weak : providers_) {
    const std::shared_ptr<catalog::Provider> provider = weak.lock();
    catalog::ResourceProvider* const resources = provider == nullptr ? nullptr : provider->resources();
    if (resources != nullptr && resources->owns(uri)) return {provider, resources};
  }
  return nullptr;
}

// A database announces a change once for each of its tables; a statement needs one notification.
bool TemplateWatch::is_first_table(const std::string& uri, const std::string& base) const {
  const Result<ResourceUri> parsed = ResourceUri::parse(uri);
  const std::shared_ptr<catalog::ResourceProvider> owner = parsed.ok() ? owner_of(*parsed) : nullptr;
  if (owner == nullptr) return false;
  const auto first = owner->list_resources({.after = base, .limit = 1, .principal = local_principal()});
  return first.ok() && !first->empty() && first->front().uri == uri;
}

void TemplateWatch::on_update(const std::string& uri) {
  std::set<std::string> touched;
  std::map<std::string, std::set<std::string>, std::less<>> by_database;
  {
    const MutexLock lock(mutex_);
    if (const auto found = by_target_.find(uri); found != by_target_.end()) touched = found->second;
    if (uri.starts_with(kDatabaseScheme)) by_database = by_database_;
  }
  for (const auto& [database, uris] : by_database) {
    std::string base(kDatabaseScheme);
    if (!has_one_database_) base += percent_encode(database) + "/";
    if (uri.starts_with(base) && is_first_table(uri, base)) touched.insert(uris.begin(), uris.end());
  }
  const std::shared_ptr<catalog::Registry> registry = registry_.lock();
  if (registry == nullptr) return;
  for (const std::string& one : touched) registry->resource_changed(one);
}

}  // namespace sluice::templates
