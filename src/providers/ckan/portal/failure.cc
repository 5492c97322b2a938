#include "portal/failure.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/fetch/retry.h"

#include "portal/portal_text.h"

namespace sluice::ckan {

namespace {

constexpr std::size_t kMessageBytesMax = 300;
constexpr std::size_t kProblemsMax = 5;

std::string what_of(const Error& cause, const Portal& portal) {
  const std::string place = portal.base.origin();
  switch (cause.kind) {
    case ErrorKind::kDeadline:
      return fmt::format("Request timeout connecting to {}", place);
    case ErrorKind::kForbidden:
      return fmt::format("Access to {} is not allowed: its address, or where it leads, is not public", place);
    case ErrorKind::kLimitReached:
      return fmt::format("The answer of {} is larger than it may be", place);
    case ErrorKind::kInvalidInput:
    case ErrorKind::kNotFound:
    case ErrorKind::kUnauthenticated:
    case ErrorKind::kUnavailable:
    case ErrorKind::kConflict:
    case ErrorKind::kCancelled:
    case ErrorKind::kMissingCapability:
    case ErrorKind::kInputRequired:
    case ErrorKind::kUnsupported:
    case ErrorKind::kInternal:
      break;
  }
  if (cause.code == "host_not_found") return fmt::format("Server not found: {}", place);
  if (cause.code == "tls_failed") return fmt::format("No secure connection can be made to {}", place);
  return fmt::format("Server unreachable, or it breaks off: {}", place);
}

// CKAN says what is wrong as a text, or as one text or list for each argument.
std::string message_of(const json::Value* body) {
  const json::Value* error = body == nullptr ? nullptr : body->find("error");
  if (error == nullptr) return {};
  if (const std::string* text = error->if_string()) return *text;
  if (std::string message = text_of(*error, "message"); !message.empty()) return message;
  const json::Object* object = error->if_object();
  if (object == nullptr) return {};
  std::string out;
  std::size_t problems = 0;
  for (const json::Member& member : *object) {
    if (member.key.starts_with("__") || ++problems > kProblemsMax) continue;
    out += (out.empty() ? "" : "; ") + member.key + ": ";
    const json::Array* list = member.value.if_array();
    const json::Value& first = list == nullptr || list->empty() ? member.value : list->front();
    out += first.if_string() == nullptr ? json::to_text(first) : *first.if_string();
  }
  return out;
}

bool says_not_found(const Refusal& refusal) {
  if (refusal.head.status == 404) return true;
  const json::Value* error = refusal.body == nullptr ? nullptr : refusal.body->find("error");
  return error != nullptr && text_of(*error, "__type") == "Not Found Error";
}

bool says_denied(const Refusal& refusal) {
  if (refusal.head.status == 401 || refusal.head.status == 403) return true;
  const json::Value* error = refusal.body == nullptr ? nullptr : refusal.body->find("error");
  return error != nullptr && text_of(*error, "__type") == "Authorization Error";
}

std::string hint_for_missing(std::string_view action) {
  if (action.starts_with("datastore_search"))
    return "The resource is not in the DataStore: ckan_list_resources shows datastore_active; "
           "ckan_query_file reads files that are not.";
  if (action == "package_show") return "Find datasets with ckan_package_search; ids and names both work.";
  if (action == "organization_show")
    return "ckan_organization_search finds organizations by a part of the name.";
  if (action == "group_show") return "ckan_group_search finds groups by a part of the name.";
  if (action == "resource_show") return "ckan_package_show lists the resources of a dataset with their ids.";
  return "This portal has no such action, or what was asked for is not there.";
}

std::string hint_for_input(std::string_view action) {
  if (action == "datastore_search_sql")
    return "Quote the resource id as a table name in double quotes, and use column names as "
           "ckan_datastore_search shows them.";
  if (action == "datastore_search") return "Check names of columns in filters, fields and sort.";
  return "Check the arguments, in particular the syntax of q and fq.";
}

}  // namespace

Error not_reached(const Error& cause, const Portal& portal) {
  if (cause.kind == ErrorKind::kCancelled) return cause;
  log::warning("portal_not_reached",
               {{"portal", portal.base.origin()}, {"code", cause.code}, {"reason", cause.message}});
  const ErrorKind kind = cause.code == "rate_limited" ? ErrorKind::kLimitReached : ErrorKind::kUnavailable;
  if (kind == ErrorKind::kLimitReached) return cause;
  std::string hint = cause.hint;
  if (hint.empty() && cause.kind != ErrorKind::kForbidden)
    hint = "Check the server's name, or try again later.";
  return unavailable(what_of(cause, portal)).with_code(cause.code).with_hint(hint);
}

Error refused(const Refusal& refusal, WallTime now) {
  const int status = refusal.head.status;
  const std::string own = message_of(refusal.body);
  const std::string said = own.empty() ? "no message" : excerpt(own, kMessageBytesMax);
  const std::string message =
      status == 200
          ? fmt::format("CKAN API returned success=false for action \"{}\": {}", refusal.action, said)
          : fmt::format("CKAN API error ({}): {}", status, said);
  log::info("portal_refused",
            {{"portal", refusal.portal.base.origin()}, {"action", refusal.action}, {"status", status}});
  if (says_not_found(refusal))
    return not_found(message).with_code("ckan_not_found").with_hint(hint_for_missing(refusal.action));
  if (says_denied(refusal))
    return unavailable(message)
        .with_code("ckan_denied")
        .with_hint("The portal gives this to its own users only.");
  if (status == 400 || status == 409 || status == 414 || status == 422 || status == 200)
    return invalid_input(message).with_code("ckan_invalid").with_hint(hint_for_input(refusal.action));
  std::string hint = "The portal has a fault of its own. Try again later, or ask for less.";
  if (const std::optional<std::chrono::milliseconds> wait = fetch::retry_after(refusal.head.headers, now))
    hint = fmt::format("Try again in {} seconds.", (wait->count() + 999) / 1'000);
  return unavailable(message).with_code("ckan_error").with_hint(hint);
}

Error not_ckan(const Portal& portal, std::string_view action) {
  log::warning("portal_not_ckan", {{"portal", portal.base.origin()}, {"action", action}});
  return unavailable(fmt::format("The answer of {} is not what CKAN's API gives", portal.base.origin()))
      .with_code("ckan_not_json")
      .with_hint(
          "Either it is no CKAN portal, or its API is elsewhere: `base` and `api_path` in the "
          "configuration.");
}

}  // namespace sluice::ckan
