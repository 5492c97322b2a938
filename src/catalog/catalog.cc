#include "sluice/catalog/catalog.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/log.h"
#include "sluice/base/text.h"

#include "cursor.h"

namespace sluice::catalog {
namespace {

constexpr std::chrono::seconds kListTtl{60};

const std::string& key_of(const protocol::Tool& tool) { return tool.name; }
const std::string& key_of(const protocol::Prompt& prompt) { return prompt.name; }
const std::string& key_of(const protocol::Resource& resource) { return resource.uri; }
const std::string& key_of(const protocol::ResourceTemplate& resource_template) {
  return resource_template.uri_template;
}

// One page of what several ordered sources have after the cursor's key. Each source gives one item more than
// a page, so that the page knows whether another follows.
template <typename Item, typename Fetch>
Result<protocol::ListPage<Item>> merge_page(const crypto::Signer& signer, std::string_view list,
                                            const std::optional<std::string>& cursor,
                                            const Principal& principal, Fetch fetch,
                                            std::size_t items_max = kListPageItems) {
  ListQuery query{.after = {}, .limit = items_max + 1, .principal = principal};
  if (cursor) {
    SLUICE_TRY(query.after, decode_cursor(signer, list, principal, *cursor));
  }
  protocol::ListPage<Item> page;
  SLUICE_TRY(page.items, fetch(query));
  std::sort(page.items.begin(), page.items.end(),
            [](const Item& a, const Item& b) { return key_of(a) < key_of(b); });
  page.cache = protocol::CacheHint{.ttl = kListTtl, .shared = false};
  if (page.items.size() > items_max) {
    page.items.resize(items_max);
    page.next_cursor = encode_cursor(signer, list, principal, key_of(page.items.back()));
  }
  return page;
}

template <typename Item>
void append(std::vector<Item>& to, std::vector<Item> from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

template <typename Item>
Status refuse_duplicates(std::string_view what, std::vector<Item> items) {
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return key_of(a) < key_of(b); });
  const auto twice = std::adjacent_find(items.begin(), items.end(),
                                        [](const Item& a, const Item& b) { return key_of(a) == key_of(b); });
  if (twice == items.end()) return {};
  return conflict(fmt::format("{} is offered twice: {}", what, excerpt(key_of(*twice))))
      .with_code("name_offered_twice");
}

std::vector<protocol::Prompt> prompts_of(Provider& provider, const ListQuery& query) {
  PromptProvider* const prompts = provider.prompts();
  return prompts == nullptr ? std::vector<protocol::Prompt>() : prompts->list_prompts(query);
}

std::vector<protocol::ResourceTemplate> templates_of(Provider& provider, const ListQuery& query) {
  ResourceProvider* const resources = provider.resources();
  return resources == nullptr ? std::vector<protocol::ResourceTemplate>() : resources->list_templates(query);
}

void begin_watching(const std::vector<std::shared_ptr<Provider>>& providers,
                    const std::vector<std::string>& uris) {
  for (const std::string& text : uris) {
    const Result<ResourceUri> uri = ResourceUri::parse(text);
    if (!uri.ok()) continue;
    if (const std::shared_ptr<ResourceProvider> owner = find_owner(providers, *uri)) owner->watch(*uri);
  }
}

}  // namespace

Catalog::Catalog(crypto::Signer signer) : signer_(std::move(signer)) {}

// Providers may tell of changes until they are gone, and calls or their maker may hold them for longer.
Catalog::~Catalog() {
  if (state_) state_->generation->tell(nullptr);
}

Result<std::unique_ptr<Catalog>> Catalog::create(std::vector<std::shared_ptr<Provider>> providers,
                                                 crypto::Signer signer) {
  return create(std::make_shared<Generation>(std::move(providers)), std::move(signer));
}

Result<std::unique_ptr<Catalog>> Catalog::create(std::shared_ptr<Generation> generation,
                                                 crypto::Signer signer) {
  std::unique_ptr<Catalog> catalog(new Catalog(std::move(signer)));
  SLUICE_TRY(std::shared_ptr<const State> state, open(generation));
  catalog->exchange_state(std::move(state));
  generation->tell(catalog.get());
  return catalog;
}

Result<std::shared_ptr<const Catalog::State>> Catalog::open(const std::shared_ptr<Generation>& generation) {
  auto state = std::make_shared<State>();
  state->generation = generation;
  for (const auto& provider : generation->providers())
    state->providers.emplace_back(generation, provider.get());
  generation->attach();
  SLUICE_TRY(state->tools, ToolIndex::build(state->providers, generation->options().tools));
  const ListQuery everything{
      .after = {}, .limit = static_cast<std::size_t>(-1), .principal = local_principal()};
  std::vector<protocol::Prompt> prompts;
  std::vector<protocol::ResourceTemplate> templates;
  for (const auto& provider : state->providers) {
    if (provider->traits().skips_invalid_tools) continue;
    append(prompts, prompts_of(*provider, everything));
    append(templates, templates_of(*provider, everything));
  }
  SLUICE_CHECK(refuse_duplicates("prompt", std::move(prompts)));
  SLUICE_CHECK(refuse_duplicates("resource template", std::move(templates)));
  return std::shared_ptr<const State>(std::move(state));
}

Status Catalog::replace(const std::shared_ptr<Generation>& generation) {
  SLUICE_TRY(std::shared_ptr<const State> next, open(generation));
  const Kinds before = kinds();
  // Both tell for a moment, so that no change falls between them.
  generation->tell(this);
  std::shared_ptr<const State> old;
  std::vector<std::string> watched;
  {
    const WatchTable::Pause pause(watched_);
    watched = pause.uris();
    begin_watching(next->providers, watched);
    old = exchange_state(std::move(next));
  }
  old->generation->tell(nullptr);
  const Kinds after = kinds();
  if (before.tools || after.tools) tools_changed();
  if (before.prompts || after.prompts) prompts_changed();
  if (before.resources || after.resources) resources_changed();
  // The same URI may be something else now, and a change that the old providers were about to tell is not.
  for (const std::string& uri : watched) resource_updated(uri);
  return {};
}

void Catalog::forward_changes(ChangeSink* sink) {
  const MutexLock lock(sink_mutex_);
  sink_ = sink;
}

std::optional<std::string> Catalog::instructions() const {
  const std::shared_ptr<const State> state = this->state();
  const std::function<std::string()>& instructions = state->generation->options().instructions;
  if (!instructions) return std::nullopt;
  return instructions();
}

Kinds Catalog::kinds() const {
  Kinds all;
  const std::shared_ptr<const State> state = this->state();
  for (const auto& provider : state->providers) {
    all.tools |= provider->tools() != nullptr;
    all.resources |= provider->resources() != nullptr;
    all.prompts |= provider->prompts() != nullptr;
    all.completions |= provider->completions() != nullptr;
  }
  return all;
}

bool Catalog::is_settled() const {
  const std::shared_ptr<const State> state = this->state();
  return std::all_of(state->providers.begin(), state->providers.end(),
                     [](const auto& provider) { return provider->is_settled(); });
}

void Catalog::settle(const std::stop_token& stop) const {
  const std::shared_ptr<const State> state = this->state();
  for (const auto& provider : state->providers) {
    if (!provider->is_settled()) provider->settle(stop);
  }
}

std::shared_ptr<const Catalog::State> Catalog::state() const {
  const MutexLock lock(state_mutex_);
  return state_;
}

std::shared_ptr<const Catalog::State> Catalog::exchange_state(std::shared_ptr<const State> next) {
  const MutexLock lock(state_mutex_);
  return std::exchange(state_, std::move(next));
}

Result<protocol::ListPage<protocol::Tool>> Catalog::tools(const std::optional<std::string>& cursor,
                                                          const Principal& principal) const {
  const std::shared_ptr<const ToolIndex> index = state()->tools;
  return merge_page<protocol::Tool>(signer_, "tools", cursor, principal,
                                    [&](const ListQuery& query) -> Result<std::vector<protocol::Tool>> {
                                      std::vector<protocol::Tool> tools;
                                      for (auto at = index->entries().upper_bound(query.after);
                                           at != index->entries().end() && tools.size() < query.limit; ++at) {
                                        tools.push_back(at->second->tool);
                                      }
                                      return tools;
                                    });
}

Result<protocol::ListPage<protocol::Resource>> Catalog::resources(const std::optional<std::string>& cursor,
                                                                  const Principal& principal) const {
  const std::shared_ptr<const State> state = this->state();
  std::size_t items_max = kListPageItems;
  for (const auto& provider : state->providers)
    items_max = std::max(items_max, provider->traits().resource_page_items);
  return merge_page<protocol::Resource>(
      signer_, "resources", cursor, principal,
      [&](const ListQuery& query) -> Result<std::vector<protocol::Resource>> {
        std::vector<protocol::Resource> all;
        for (const auto& provider : state->providers) {
          if (provider->resources() == nullptr) continue;
          SLUICE_TRY(std::vector<protocol::Resource> some, provider->resources()->list_resources(query));
          append(all, std::move(some));
        }
        return all;
      },
      items_max);
}

Result<protocol::ListPage<protocol::ResourceTemplate>> Catalog::templates(
    const std::optional<std::string>& cursor, const Principal& principal) const {
  return merge_page<protocol::ResourceTemplate>(
      signer_, "templates", cursor, principal,
      [&](const ListQuery& query) -> Result<std::vector<protocol::ResourceTemplate>> {
        std::vector<protocol::ResourceTemplate> all;
        const std::shared_ptr<const State> state = this->state();
        for (const auto& provider : state->providers) append(all, templates_of(*provider, query));
        return all;
      });
}

Result<protocol::ListPage<protocol::Prompt>> Catalog::prompts(const std::optional<std::string>& cursor,
                                                              const Principal& principal) const {
  return merge_page<protocol::Prompt>(signer_, "prompts", cursor, principal,
                                      [&](const ListQuery& query) -> Result<std::vector<protocol::Prompt>> {
                                        std::vector<protocol::Prompt> all;
                                        const std::shared_ptr<const State> state = this->state();
                                        for (const auto& provider : state->providers)
                                          append(all, prompts_of(*provider, query));
                                        return all;
                                      });
}

Result<std::shared_ptr<const ToolEntry>> Catalog::find_tool(std::string_view name) const {
  const std::shared_ptr<const State> state = this->state();
  const std::shared_ptr<const ToolIndex>& index = state->tools;
  if (std::shared_ptr<const ToolEntry> entry = index->find(name)) return entry;
  for (const auto& provider : state->providers) {
    ToolProvider* const tools = provider->tools();
    const std::string listed = tools == nullptr ? std::string() : tools->listed_name(name);
    std::shared_ptr<const ToolEntry> entry = listed.empty() ? nullptr : index->find(listed);
    if (entry != nullptr && entry->provider.get() == tools) return entry;
  }
  std::vector<std::string> names;
  for (const auto& [known, entry] : index->entries()) names.push_back(known);
  const std::string near = nearest_name(name, names);
  Error error = invalid_input(fmt::format("Unknown tool: {}", excerpt(name))).with_code("unknown_tool");
  if (!near.empty()) error.hint = fmt::format("Did you mean {}?", near);
  return error;
}

Result<std::shared_ptr<Provider>> Catalog::find_prompt(std::string_view name,
                                                       const Principal& principal) const {
  const ListQuery everything{.after = {}, .limit = static_cast<std::size_t>(-1), .principal = principal};
  std::vector<std::string> names;
  const std::shared_ptr<const State> state = this->state();
  for (const auto& provider : state->providers) {
    for (const protocol::Prompt& prompt : prompts_of(*provider, everything)) {
      if (prompt.name == name) return provider;
      names.push_back(prompt.name);
    }
  }
  const std::string near = nearest_name(name, names);
  Error error = invalid_input(fmt::format("Unknown prompt: {}", excerpt(name))).with_code("unknown_prompt");
  if (!near.empty()) error.hint = fmt::format("Did you mean {}?", near);
  return error;
}

Result<std::shared_ptr<Provider>> Catalog::find_template(std::string_view uri_template,
                                                         const Principal& principal) const {
  const ListQuery everything{.after = {}, .limit = static_cast<std::size_t>(-1), .principal = principal};
  const std::shared_ptr<const State> state = this->state();
  for (const auto& provider : state->providers) {
    for (const protocol::ResourceTemplate& known : templates_of(*provider, everything)) {
      if (known.uri_template == uri_template) return provider;
    }
  }
  return invalid_input(fmt::format("Unknown resource template: {}", excerpt(uri_template)))
      .with_code("unknown_template");
}

std::shared_ptr<ResourceProvider> Catalog::find_owner(const ResourceUri& uri) const {
  return catalog::find_owner(state()->providers, uri);
}

Status Catalog::can_watch(const ResourceUri& uri) {
  const std::shared_ptr<ResourceProvider> owner = find_owner(uri);
  if (owner == nullptr) return protocol::resource_not_found(uri.text());
  if (watched_.contains(uri.text())) return {};
  return owner->can_watch(uri);
}

bool Catalog::watch(const ResourceUri& uri) {
  WatchTable::Turn turn(watched_, uri.text());
  const std::shared_ptr<ResourceProvider> owner = find_owner(uri);
  if (owner == nullptr) return false;
  if (turn.add()) owner->watch(uri);
  return true;
}

void Catalog::unwatch(const ResourceUri& uri) {
  WatchTable::Turn turn(watched_, uri.text());
  if (!turn.remove()) return;
  if (const std::shared_ptr<ResourceProvider> owner = find_owner(uri)) owner->unwatch(uri);
}

void Catalog::forward(const std::function<void(ChangeSink&)>& tell) {
  const MutexLock lock(sink_mutex_);
  if (sink_ != nullptr) tell(*sink_);
}

void Catalog::tools_changed() {
  const std::shared_ptr<const State> seen = state();
  Result<std::shared_ptr<const ToolIndex>> rebuilt =
      ToolIndex::build(seen->providers, seen->generation->options().tools);
  if (!rebuilt) {
    // The old tools stay: a bad definition that appears while running must not take the good ones away.
    log::error("catalog.tools_refused", {{"reason", rebuilt.error().message}});
    return;
  }
  auto next = std::make_shared<State>(*seen);
  next->tools = *std::move(rebuilt);
  {
    const MutexLock lock(state_mutex_);
    if (state_->generation != seen->generation) return;  // Replaced meanwhile, which has told of the tools.
    state_ = std::move(next);
  }
  forward([](ChangeSink& sink) { sink.tools_changed(); });
}

void Catalog::prompts_changed() {
  forward([](ChangeSink& sink) { sink.prompts_changed(); });
}

void Catalog::resources_changed() {
  forward([](ChangeSink& sink) { sink.resources_changed(); });
}

void Catalog::resource_updated(const std::string& uri) {
  forward([&](ChangeSink& sink) { sink.resource_updated(uri); });
}

}  // namespace sluice::catalog
