#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/protocol/model/ask.h"
#include "sluice/protocol/model/completion.h"
#include "sluice/protocol/model/prompt.h"
#include "sluice/protocol/model/resource.h"
#include "sluice/protocol/model/task.h"
#include "sluice/protocol/model/tool.h"
#include "sluice/protocol/revision.h"
#include "sluice/protocol/wire/capabilities.h"

// The `result` of every method as JSON text, in the words of a revision.
namespace sluice::protocol {

// Who answers, and in which revision. `server` must outlive the call.
struct ResultStyle {
  Revision revision = kNewest;
  const Implementation& server;
};

template <typename Item>
struct ListPage {
  std::vector<Item> items;
  std::optional<std::string> next_cursor;
  CacheHint cache;
};

std::string list_result(const ListPage<Tool>& page, const ResultStyle& style);
std::string list_result(const ListPage<Resource>& page, const ResultStyle& style);
std::string list_result(const ListPage<ResourceTemplate>& page, const ResultStyle& style);
std::string list_result(const ListPage<Prompt>& page, const ResultStyle& style);
std::string call_result(const ToolResult& result, const ResultStyle& style);
std::string read_result(const ReadResult& result, const ResultStyle& style);
std::string prompt_result(const PromptResult& result, const ResultStyle& style);
std::string completion_result(const Completion& completion, const ResultStyle& style);
std::string empty_result(const ResultStyle& style);

// Modern era only.
std::string discover_result(const ServerCapabilities& capabilities, std::string_view instructions,
                            const ResultStyle& style);
std::string input_required_result(const std::vector<Question>& questions, std::string_view request_state,
                                  const ResultStyle& style);
std::string listen_closed_result(std::string_view subscription_id, const ResultStyle& style);
std::string task_created_result(const TaskState& task, const ResultStyle& style);
std::string task_result(const TaskState& task, const ResultStyle& style);
// The params of notifications/tasks: the same task, with the id of the subscription.
std::string task_notification_params(const TaskState& task, std::string_view subscription_id,
                                     Revision revision);

// Legacy era only.
std::string initialize_result(const ServerCapabilities& capabilities, std::string_view instructions,
                              const ResultStyle& style);

}  // namespace sluice::protocol
