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

// Where one call runs: on a worker's thread, or where its message was read, because it is short as a rule
// (and the transport can bear it where it is not), or always.
enum class Speed : std::uint8_t { kAny, kBrief, kInstant };

struct Method {
  std::string_view name;
  Era era;
  bool catalog::Kinds::*needs;  // The kind of thing without which the method does not exist; null for none.
  bool quick;                   // Runs where the message was read: it neither blocks nor calls a provider.
  Speed (*speed)(const Core& core, const Call& call);  // Of this one call; null: any.
  std::string_view target;  // The parameter that says what it is about: "name", "uri", "taskId" or "".
  MethodHandler handler;
};

// Null where the era, or this server, has no such method.
const Method* find_method(std::string_view name, protocol::Revision revision, const Core& core);

// By file: methods_tools.cc
Result<std::string> list_tools(Core& core, const std::shared_ptr<Call>& call);
Result<std::string> call_tool(Core& core, const std::shared_ptr<Call>& call);
Speed speed_of_call(const Core& core, const Call& call);
Speed speed_of_list(const Core& core, const Call& call);
// methods_resources.cc
Result<std::string> list_resources(Core& core, const std::shared_ptr<Call>& call);
Result<std::string> list_templates(Core& core, const std::shared_ptr<Call>& call);
Result<std::string> read_resource(Core& core, const std::shared_ptr<Call>& call);
Speed speed_of_read(const Core& core, const Call& call);
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
