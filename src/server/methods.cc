#include "methods.h"

#include <array>

namespace sluice::server {
namespace {

using catalog::Kinds;

constexpr std::array kMethods{
    Method{"server/discover", Era::kModern, nullptr, true, nullptr, "", discover},
    Method{"ping", Era::kLegacy, nullptr, true, nullptr, "", ping},
    Method{"tools/list", Era::kBoth, &Kinds::tools, false, speed_of_list, "", list_tools},
    Method{"tools/call", Era::kBoth, &Kinds::tools, false, speed_of_call, "name", call_tool},
    Method{"resources/list", Era::kBoth, &Kinds::resources, false, nullptr, "", list_resources},
    Method{"resources/templates/list", Era::kBoth, &Kinds::resources, false, nullptr, "", list_templates},
    Method{"resources/read", Era::kBoth, &Kinds::resources, false, speed_of_read, "uri", read_resource},
    Method{"resources/subscribe", Era::kLegacy, &Kinds::resources, false, nullptr, "uri", subscribe},
    Method{"resources/unsubscribe", Era::kLegacy, &Kinds::resources, false, nullptr, "uri", unsubscribe},
    Method{"prompts/list", Era::kBoth, &Kinds::prompts, false, nullptr, "", list_prompts},
    Method{"prompts/get", Era::kBoth, &Kinds::prompts, false, nullptr, "name", get_prompt},
    Method{"completion/complete", Era::kBoth, &Kinds::completions, false, nullptr, "", complete_argument},
    Method{"logging/setLevel", Era::kLegacy, nullptr, true, nullptr, "", set_log_level},
    Method{"subscriptions/listen", Era::kModern, nullptr, false, nullptr, "", listen},
    Method{"tasks/get", Era::kModern, &Kinds::tools, true, nullptr, "taskId", get_task},
    Method{"tasks/update", Era::kModern, &Kinds::tools, true, nullptr, "taskId", update_task},
    Method{"tasks/cancel", Era::kModern, &Kinds::tools, true, nullptr, "taskId", cancel_task},
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
