#include "portal/portal_api.h"

#include <algorithm>
#include <utility>

#include "sluice/base/log.h"
#include "sluice/base/uri.h"
#include "sluice/contents/body_media.h"
#include "sluice/crypto/digest.h"
#include "sluice/fetch/retry.h"
#include "sluice/json/reader.h"

#include "portal/failure.h"
#include "portal/portal_text.h"

namespace sluice::ckan {

namespace {

constexpr std::string_view kAccept = "application/json";
constexpr std::string_view kUserAgent = "Mozilla/5.0 (compatible; sluice; +https://modelcontextprotocol.io)";
constexpr std::chrono::seconds kMetadataLifetime{300};
constexpr std::chrono::seconds kDatastoreLifetime{60};
constexpr std::chrono::seconds kStatusLifetime{3'600};
constexpr std::size_t kValuesMax = 2'000'000;
constexpr std::size_t kTreeBytesPerByte = 3;  // What a tree takes, compared to its text.
constexpr fetch::RetryRules kActionRetries{.attempts_max = 3,
                                           .first_delay = std::chrono::milliseconds(250),
                                           .delay_max = std::chrono::milliseconds(2'000),
                                           .retry_after_max = std::chrono::milliseconds(10'000)};

std::string query_of(const Parameters& parameters) {
  std::string out;
  for (const auto& [name, value] : parameters) {
    if (!out.empty()) out += '&';
    ((out += percent_encode(name)) += '=') += percent_encode(value);
  }
  return out;
}

// One text for one question: what a name or a value holds cannot make it another's.
cache::Key action_key(const Portal& portal, std::string_view action, const Parameters& parameters) {
  json::Array parts{portal.server_url(), portal.spec.api_path, std::string(action)};
  for (const auto& [name, value] : parameters) {
    parts.emplace_back(name);
    parts.emplace_back(value);
  }
  return {.scope = cache::Scope::shared(),
          .text = crypto::sha256(json::to_text(json::Value(std::move(parts))))};
}

bool is_success(const json::Value& body) {
  const json::Value* success = body.find("success");
  return success != nullptr && success->if_bool() != nullptr && *success->if_bool();
}

}  // namespace

std::chrono::milliseconds lifetime_of(std::string_view action) {
  if (action == "status_show") return kStatusLifetime;
  return action.starts_with("datastore_") ? kDatastoreLifetime : kMetadataLifetime;
}

PortalApi::PortalApi(const CkanSpec& spec, Directory directory, const Clock& clock)
    : spec_(spec), directory_(std::move(directory)), clock_(clock), cache_(clock) {}

Result<std::unique_ptr<PortalApi>> PortalApi::create(const CkanSpec& spec, const Clock& clock) {
  SLUICE_TRY(Directory directory, Directory::create(spec));
  std::unique_ptr<PortalApi> out(new PortalApi(spec, std::move(directory), clock));
  SLUICE_TRY(out->wires_, Wires::create(spec, out->directory_, clock));
  return out;
}

ActionResultPtr PortalApi::find(const Portal& portal, std::string_view action, const Parameters& parameters) {
  return cache_.find(action_key(portal, action, parameters));
}

Result<ActionResultPtr> PortalApi::get(const Portal& portal, std::string_view action,
                                       const Parameters& parameters, const Caller& caller) {
  const auto load = [&](std::stop_token stop) -> Result<cache::Loaded<ActionResult>> {
    SLUICE_TRY(ActionResult result,
               ask(portal, action, parameters, {.stop = std::move(stop), .deadline = caller.deadline}));
    const std::size_t bytes = json::to_text(result.value).size() * kTreeBytesPerByte;
    const std::chrono::milliseconds lifetime = result.lifetime;
    return cache::Loaded<ActionResult>{.value = std::move(result), .bytes = bytes, .lifetime = lifetime};
  };
  return cache_.get_or_load(action_key(portal, action, parameters), load, caller.stop);
}

fetch::Credentials PortalApi::credentials_for(const fetch::Url& url) const {
  for (const PortalPtr& portal : directory_.portals()) {
    if (!portal->spec.token.empty() && portal->base.origin() == url.origin())
      return {.origin = url.origin(), .headers = {{"Authorization", portal->spec.token}}};
  }
  return {};
}

Status PortalApi::wait_turn(const fetch::Url& url, const Caller& caller) const {
  SLUICE_TRY(const std::chrono::milliseconds wait, wires_->wire_to(url).rate.take(url.host()));
  if (wait.count() == 0) return {};
  if (clock_.now() + wait >= caller.deadline) return deadline_exceeded();
  return fetch::system_pause().wait(wait, caller.stop);
}

Result<ActionResult> PortalApi::ask(const Portal& portal, std::string_view action,
                                    const Parameters& parameters, const Caller& caller) const {
  Result<fetch::Url> url = portal.action_url(action, query_of(parameters));
  if (!url.ok())
    return invalid_input("the arguments make no request")
        .with_code("ckan_invalid")
        .with_hint("Ask for less.");
  fetch::Request request;
  request.url = *std::move(url);
  request.headers = {{"Accept", std::string(kAccept)}, {"User-Agent", std::string(kUserAgent)}};
  request.credentials = credentials_for(request.url);
  request.limits.bytes_max = spec_.bytes_max;
  request.limits.total = spec_.timeout;
  request.limits.connect = std::min(request.limits.connect, spec_.timeout);
  request.deadline = caller.deadline;
  request.stop = caller.stop;
  const auto send = [&](const fetch::Request& each) -> Result<fetch::Response> {
    SLUICE_CHECK(wait_turn(each.url, caller));
    return client_to(each.url).send(each);
  };
  Result<fetch::Response> response = fetch::send_with_retries(
      send, request, kActionRetries,
      {.clock = clock_, .pause = fetch::system_pause(), .random = &fetch::system_random});
  if (!response.ok()) return not_reached(response.error(), portal);
  const std::string* type = fetch::find_header(response->head.headers, "content-type");
  const contents::ContentType stated = contents::parse_content_type(type == nullptr ? "" : *type);
  const std::string body = contents::text_of_body(stated.charset, std::move(response->body));
  const Result<json::Value> value =
      json::read(body, {.bytes_max = spec_.bytes_max, .values_max = kValuesMax, .last_key_wins = true});
  const bool is_object = value.ok() && value->is_object();
  const int status = response->head.status;
  if (status == 200 && !is_object) return not_ckan(portal, action);
  if (status != 200 || !is_success(*value))
    return refused(
        {.portal = portal, .action = action, .head = response->head, .body = is_object ? &*value : nullptr},
        clock_.wall());
  const json::Value* result = value->find("result");
  if (result == nullptr) return not_ckan(portal, action);
  return ActionResult{.value = cleaned(*result), .as_of = clock_.now(), .lifetime = lifetime_of(action)};
}

}  // namespace sluice::ckan
