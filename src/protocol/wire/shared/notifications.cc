#include "sluice/protocol/wire/notifications.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/json/writer.h"

#include "wire/shared/fields.h"

namespace sluice::protocol {
namespace {

void write_subscription(std::string_view subscription_id, json::Writer& out) {
  if (subscription_id.empty()) return;
  out.key("_meta")
      .begin_object()
      .raw_field("io.modelcontextprotocol/subscriptionId", subscription_id)
      .end_object();
}

void write_texts(std::string_view key, const std::vector<std::string>& texts, json::Writer& out) {
  if (texts.empty()) return;
  out.key(key).begin_array();
  for (const std::string& text : texts) out.string(text);
  out.end_array();
}

}  // namespace

std::string progress_notification(const ProgressToken& token, const Progress& progress, Revision revision) {
  json::Writer out;
  out.begin_object()
      .raw_field("progressToken", to_json(token))
      .field("progress", progress.done)
      .field_if("total", progress.total);
  if (!progress.message.empty() && has_progress_message(revision)) out.field("message", progress.message);
  out.end_object();
  return notification_message("notifications/progress", out.text());
}

std::string log_notification(LogLevel level, std::string_view logger, const json::Value& data) {
  json::Writer out;
  out.begin_object().field("level", to_string(level));
  if (!logger.empty()) out.field("logger", logger);
  out.field("data", data).end_object();
  return notification_message("notifications/message", out.text());
}

std::string list_changed_notification(std::string_view list, std::string_view subscription_id) {
  json::Writer out;
  out.begin_object();
  write_subscription(subscription_id, out);
  out.end_object();
  return notification_message(fmt::format("notifications/{}/list_changed", list),
                              subscription_id.empty() ? "" : out.text());
}

std::string resource_updated_notification(std::string_view uri, std::string_view subscription_id) {
  json::Writer out;
  out.begin_object().field("uri", uri);
  write_subscription(subscription_id, out);
  out.end_object();
  return notification_message("notifications/resources/updated", out.text());
}

std::string acknowledged_notification(const ListenParams& agreed, std::string_view subscription_id) {
  json::Writer out;
  out.begin_object().key("notifications").begin_object();
  if (agreed.tools_changed) out.field("toolsListChanged", true);
  if (agreed.prompts_changed) out.field("promptsListChanged", true);
  if (agreed.resources_changed) out.field("resourcesListChanged", true);
  write_texts("resourceSubscriptions", agreed.resource_uris, out);
  write_texts("taskIds", agreed.task_ids, out);
  out.end_object();
  write_subscription(subscription_id, out);
  out.end_object();
  return notification_message("notifications/subscriptions/acknowledged", out.text());
}

std::string cancelled_notification(const RequestId& request, std::string_view reason,
                                   std::string_view subscription_id) {
  json::Writer out;
  out.begin_object().raw_field("requestId", to_json(request)).field("reason", reason);
  write_subscription(subscription_id, out);
  out.end_object();
  return notification_message("notifications/cancelled", out.text());
}

}  // namespace sluice::protocol
