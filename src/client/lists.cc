#include "lists.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/principal.h"
#include "sluice/base/text.h"
#include "sluice/protocol/wire/decode.h"

#include "failure.h"
#include "rounds.h"

namespace sluice::client {
namespace {

constexpr std::size_t kItemBytes = 1024;  // About what one takes; nobody counts them.

// How one list is asked for.
template <typename Item>
struct Listing {
  std::string_view capability;
  std::string method;
  std::string_view key;
  Result<Item> (*decode)(const json::Value&);
};

const Listing<protocol::Tool> kTools{"tools", "tools/list", "tools", &protocol::decode_tool};
const Listing<protocol::Resource> kResources{"resources", "resources/list", "resources",
                                             &protocol::decode_resource};
const Listing<protocol::ResourceTemplate> kTemplates{"resources", "resources/templates/list",
                                                     "resourceTemplates", &protocol::decode_template};
const Listing<protocol::Prompt> kPrompts{"prompts", "prompts/list", "prompts", &protocol::decode_prompt};

template <typename Item>
using Page = cache::Loaded<std::vector<Item>>;

template <typename Item>
Status append(const Listing<Item>& listing, const json::Object& result, std::vector<Item>& items) {
  const json::Value* given = result.find(listing.key);
  const json::Array* array = given == nullptr ? nullptr : given->if_array();
  if (array == nullptr)
    return invalid_result(listing.method, invalid_input(fmt::format("{}: expected an array", listing.key)));
  for (const json::Value& value : *array) {
    Result<Item> item = listing.decode(value);
    // One that cannot be read does not take the others away.
    if (!item) {
      log::warning("client.list_item_dropped",
                   {{"method", listing.method}, {"reason", item.error().message}});
      continue;
    }
    items.push_back(*std::move(item));
  }
  return {};
}

template <typename Item>
Result<Page<Item>> load(Session& session, const Listing<Item>& listing, const Call& call) {
  Page<Item> all{.value = {}, .bytes = 0, .lifetime = kCacheLifetimeMax};
  SLUICE_TRY(const std::shared_ptr<const Connection> at,
             session.connection(call.deadline, call.options.stop));
  if (!at->agreed.info.has(listing.capability)) return Page<Item>{};
  json::Object params;
  std::string cursor;
  for (std::size_t pages = 0; pages < kClientListPagesMax; ++pages) {
    SLUICE_TRY(const json::Object result, complete_request(session, listing.method, params, call));
    SLUICE_CHECK(append(listing, result, all.value));
    if (all.value.size() > session.options().list_items_max)
      return limit_reached(fmt::format("{}: items", listing.method), session.options().list_items_max)
          .with_code("list_too_long");
    // A list that the server does not say it may be kept for is asked for each time.
    const std::chrono::milliseconds said =
        std::max(protocol::decode_cache_hint(result).ttl, std::chrono::milliseconds(0));
    all.lifetime = std::min<std::chrono::milliseconds>(all.lifetime, said);
    Result<std::optional<std::string>> next = protocol::decode_next_cursor(result);
    if (!next) return invalid_result(listing.method, next.error());
    if (!*next) {
      all.bytes = all.value.size() * kItemBytes;
      if (!session.options().cache_lists) all.lifetime = std::chrono::milliseconds{0};
      return all;
    }
    if (**next == cursor)
      return invalid_result(listing.method, invalid_input("a page that names itself as the next"));
    cursor = **next;
    params.set("cursor", cursor);
  }
  return limit_reached(fmt::format("{}: pages", listing.method), kClientListPagesMax)
      .with_code("list_too_long");
}

cache::Key list_key(const std::string& method) {
  // A client speaks for one principal, whoever that is.
  return {.scope = cache::Scope::of(local_principal()), .text = method};
}

template <typename Item>
Result<std::vector<Item>> get(Session& session, cache::Cache<std::vector<Item>>& cache,
                              const Listing<Item>& listing, const Call& call) {
  SLUICE_TRY(const typename cache::Cache<std::vector<Item>>::Handle items,
             cache.get_or_load(
                 list_key(listing.method),
                 [&](std::stop_token /*stop*/) { return load(session, listing, call); }, call.options.stop));
  return *items;
}

// Without those that an HTTP client must not use; what is left says which arguments go into headers.
Result<Page<protocol::Tool>> load_tools(Session& session, const Call& call) {
  SLUICE_TRY(Page<protocol::Tool> page, load(session, kTools, call));
  SLUICE_TRY(const std::shared_ptr<const Connection> at,
             session.connection(call.deadline, call.options.stop));
  if (!at->mirrors()) return page;
  std::map<std::string, std::vector<protocol::HeaderParameter>, std::less<>> headers;
  std::vector<protocol::Tool> kept;
  for (protocol::Tool& tool : page.value) {
    Result<std::vector<protocol::HeaderParameter>> parameters =
        protocol::find_header_parameters(tool.input_schema);
    if (!parameters) {
      log::warning("client.tool_refused",
                   {{"tool", excerpt(tool.name)}, {"reason", parameters.error().message}});
      continue;
    }
    if (!parameters->empty()) headers.insert_or_assign(tool.name, *std::move(parameters));
    kept.push_back(std::move(tool));
  }
  page.value = std::move(kept);
  session.set_tool_headers(std::move(headers));
  return page;
}

}  // namespace

Lists::Lists(Session& session)
    : session_(session),
      tools_(*session.options().clock),
      resources_(*session.options().clock),
      templates_(*session.options().clock),
      prompts_(*session.options().clock) {}

Result<std::vector<protocol::Tool>> Lists::tools(const Call& call) {
  SLUICE_TRY(const Cache<protocol::Tool>::Handle items,
             tools_.get_or_load(
                 list_key(kTools.method),
                 [&](std::stop_token /*stop*/) { return load_tools(session_, call); }, call.options.stop));
  return *items;
}
Result<std::vector<protocol::Resource>> Lists::resources(const Call& call) {
  return get(session_, resources_, kResources, call);
}
Result<std::vector<protocol::ResourceTemplate>> Lists::templates(const Call& call) {
  return get(session_, templates_, kTemplates, call);
}
Result<std::vector<protocol::Prompt>> Lists::prompts(const Call& call) {
  return get(session_, prompts_, kPrompts, call);
}

Status Lists::refresh_tools(const Call& call) {
  tools_.invalidate(list_key(kTools.method));
  SLUICE_TRY([[maybe_unused]] const std::vector<protocol::Tool> tools, this->tools(call));
  return {};
}

void Lists::forget(ListKind kind) {
  switch (kind) {
    case ListKind::kTools:
      return tools_.invalidate(list_key(kTools.method));
    case ListKind::kPrompts:
      return prompts_.invalidate(list_key(kPrompts.method));
    case ListKind::kResources:
      resources_.invalidate(list_key(kResources.method));
      return templates_.invalidate(list_key(kTemplates.method));
  }
}

}  // namespace sluice::client
