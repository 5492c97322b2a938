#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sluice/base/result.h"

#include "core.h"

namespace sluice::server {

// Answers a request with the JSON text of its `result`. A handler that answers in another way sets
// Call::taken_over.
using MethodHandler = Result<std::string> (*)(Core& core, const std::shared_ptr<Call>& call);

enum class Era : std::uint8_t { kBoth, kLegacy, kModern };

using catalog::RunsOn;

struct Method {
  std::string_view name;
  Era era;
  bool catalog::Kinds::*needs;  // The kind of thing without which the method does not exist; null for none.
  RunsOn runs_on;
  // Looks up what this one call names, once, and returns where it runs. Null: all calls are alike.
  RunsOn (*resolve)(const Core& core, Call& call);
  std::string_view target;  // The parameter that says what it is about: "name", "uri", "taskId" or "".
  MethodHandler handler;
};

// Null where the era, or this server, has no such method.
const Method* find_method(std::string_view name, protocol::Revision revision, const Core& core);

// By file: methods_tools.cc
Result<std::string> list_tools(Core& core, const std::shared_ptr<Call>& call);
Result<std::string> call_tool(Core& core, const std::shared_ptr<Call>& call);
RunsOn resolve_tool(const Core& core, Call& call);
RunsOn resolve_list(const Core& core, Call& call);
// methods_resources.cc
Result<std::string> list_resources(Core& core, const std::shared_ptr<Call>& call);
Result<std::string> list_templates(Core& core, const std::shared_ptr<Call>& call);
Result<std::string> read_resource(Core& core, const std::shared_ptr<Call>& call);
RunsOn resolve_resource(const Core& core, Call& call);
// methods_prompts.cc
Result<std::string> list_prompts(Core& core, const std::shared_ptr<Call>& call);
Result<std::string> get_prompt(Core& core, const std::shared_ptr<Call>& call);
Result<std::string> complete_argument(Core& core, const std::shared_ptr<Call>& call);
// methods_listen.cc
Result<std::string> discover(Core& core, const std::shared_ptr<Call>& call);
Result<std::string> listen(Core& core, const std::shared_ptr<Call>& call);
void close_listen_stream(Core& core, const std::shared_ptr<ListenStream>& stream);
// methods_tasks.cc
Result<std::string> get_task(Core& core, const std::shared_ptr<Call>& call);
Result<std::string> update_task(Core& core, const std::shared_ptr<Call>& call);
Result<std::string> cancel_task(Core& core, const std::shared_ptr<Call>& call);
// methods_legacy.cc
Result<std::string> ping(Core& core, const std::shared_ptr<Call>& call);
Result<std::string> set_log_level(Core& core, const std::shared_ptr<Call>& call);
Result<std::string> subscribe(Core& core, const std::shared_ptr<Call>& call);
Result<std::string> unsubscribe(Core& core, const std::shared_ptr<Call>& call);

}  // namespace sluice::server
