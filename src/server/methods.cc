#include "methods.h"

#include <array>

namespace sluice::server {
namespace {

using catalog::Kinds;

constexpr std::array kMethods{
    Method{"server/discover", Era::kModern, nullptr, true, "", discover},
    Method{"ping", Era::kLegacy, nullptr, true, "", ping},
    Method{"tools/list", Era::kBoth, &Kinds::tools, true, "", list_tools},
    Method{"tools/call", Era::kBoth, &Kinds::tools, false, "name", call_tool},
    Method{"resources/list", Era::kBoth, &Kinds::resources, false, "", list_resources},
    Method{"resources/templates/list", Era::kBoth, &Kinds::resources, false, "", list_templates},
    Method{"resources/read", Era::kBoth, &Kinds::resources, false, "uri", read_resource},
    Method{"resources/subscribe", Era::kLegacy, &Kinds::resources, false, "uri", subscribe},
    Method{"resources/unsubscribe", Era::kLegacy, &Kinds::resources, false, "uri", unsubscribe},
    Method{"prompts/list", Era::kBoth, &Kinds::prompts, false, "", list_prompts},
    Method{"prompts/get", Era::kBoth, &Kinds::prompts, false, "name", get_prompt},
    Method{"completion/complete", Era::kBoth, &Kinds::completions, false, "", complete_argument},
    Method{"logging/setLevel", Era::kLegacy, nullptr, true, "", set_log_level},
    Method{"subscriptions/listen", Era::kModern, nullptr, false, "", listen},
    Method{"tasks/get", Era::kModern, &Kinds::tools, true, "taskId", get_task},
    Method{"tasks/update", Era::kModern, &Kinds::tools, true, "taskId", update_task},
    Method{"tasks/cancel", Era::kModern, &Kinds::tools, true, "taskId", cancel_task},
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
