#include "methods/methods.h"

#include <array>

namespace sluice::server {
namespace {

using catalog::Kinds;

constexpr std::array kMethods{
    Method{"server/discover", Era::kModern, nullptr, RunsOn::kReceivingThread, nullptr, "", discover},
    Method{"ping", Era::kLegacy, nullptr, RunsOn::kReceivingThread, nullptr, "", ping},
    Method{"tools/list", Era::kBoth, &Kinds::tools, RunsOn::kWorker, resolve_list, "", list_tools},
    Method{"tools/call", Era::kBoth, &Kinds::tools, RunsOn::kWorker, resolve_tool, "name", call_tool},
    Method{"resources/list", Era::kBoth, &Kinds::resources, RunsOn::kWorker, nullptr, "", list_resources},
    Method{"resources/templates/list", Era::kBoth, &Kinds::resources, RunsOn::kWorker, nullptr, "",
           list_templates},
    Method{"resources/read", Era::kBoth, &Kinds::resources, RunsOn::kWorker, resolve_resource, "uri",
           read_resource},
    Method{"resources/subscribe", Era::kLegacy, &Kinds::resources, RunsOn::kWorker, nullptr, "uri",
           subscribe},
    Method{"resources/unsubscribe", Era::kLegacy, &Kinds::resources, RunsOn::kWorker, nullptr, "uri",
           unsubscribe},
    Method{"prompts/list", Era::kBoth, &Kinds::prompts, RunsOn::kWorker, nullptr, "", list_prompts},
    Method{"prompts/get", Era::kBoth, &Kinds::prompts, RunsOn::kWorker, nullptr, "name", get_prompt},
    Method{"completion/complete", Era::kBoth, &Kinds::completions, RunsOn::kWorker, nullptr, "",
           complete_argument},
    Method{"logging/setLevel", Era::kLegacy, nullptr, RunsOn::kReceivingThread, nullptr, "", set_log_level},
    Method{"subscriptions/listen", Era::kModern, nullptr, RunsOn::kWorker, nullptr, "", listen},
    Method{"tasks/get", Era::kModern, &Kinds::tools, RunsOn::kReceivingThread, nullptr, "taskId", get_task},
    Method{"tasks/update", Era::kModern, &Kinds::tools, RunsOn::kReceivingThread, nullptr, "taskId",
           update_task},
    Method{"tasks/cancel", Era::kModern, &Kinds::tools, RunsOn::kReceivingThread, nullptr, "taskId",
           cancel_task},
};

bool in_era(Era era, protocol::Revision revision) {
  switch (era) {
    case Era::kBoth:
      return true;
    case Era::kLegacy:
      return !protocol::is_modern(revision);
    case Era::kModern:
      return protocol::is_modern(revision);
  }
  return false;
}

}  // namespace

const Method* find_method(std::string_view name, protocol::Revision revision, const Core& core) {
  for (const Method& method : kMethods) {
    if (method.name != name) continue;
    if (!in_era(method.era, revision)) return nullptr;
    if (method.needs != nullptr && !(core.catalog->kinds().*method.needs)) return nullptr;
    if (name == "logging/setLevel" && !core.options.logging) return nullptr;
    return &method;
  }
  return nullptr;
}

}  // namespace sluice::server
