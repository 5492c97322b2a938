#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sluice/json/value.h"
#include "sluice/protocol/jsonrpc/message.h"
#include "sluice/protocol/model/log_level.h"
#include "sluice/protocol/revision.h"
#include "sluice/protocol/wire/params.h"

// Whole notification messages as JSON text. `subscription_id` is the JSON id of a subscriptions/listen
// request, or empty in the legacy era.
namespace sluice::protocol {

struct Progress {
  double done = 0;
  std::optional<double> total;
  std::string message;
};

std::string progress_notification(const ProgressToken& token, const Progress& progress, Revision revision);
std::string log_notification(LogLevel level, std::string_view logger, const json::Value& data);
// `list` is "tools", "prompts" or "resources".
std::string list_changed_notification(std::string_view list, std::string_view subscription_id);
std::string resource_updated_notification(std::string_view uri, std::string_view subscription_id);
std::string acknowledged_notification(const ListenParams& agreed, std::string_view subscription_id);
std::string cancelled_notification(const RequestId& request, std::string_view reason,
                                   std::string_view subscription_id);

}  // namespace sluice::protocol
