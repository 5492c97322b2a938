#include "sluice/base/text.h"
#include "sluice/gateway/tool_node.h"

namespace sluice::gateway {
namespace {

constexpr std::size_t kInstructionsBytes = 2'000;
constexpr std::size_t kRefusedListed = 10;  // `sluice pins` shows all.
constexpr std::size_t kChangesBytes = 1'000;

}  // namespace

json::Object describe(const ToolNode& node) {
  const std::shared_ptr<const Discovery> known = node.discovery();
  json::Object out{{"name", node.name_space()}, {"kind", "upstream"}};
  switch (known->state) {
    case NodeState::kConnecting:
      out.set("state", "connecting");
      break;
    case NodeState::kReady:
      out.set("state", "ready");
      break;
    case NodeState::kDown:
      out.set("error", known->problem);
      break;
  }
  if (known->state != NodeState::kConnecting && !known->server.implementation.name.empty()) {
    out.set("server", excerpt(known->server.implementation.name));
    out.set("protocol", protocol::to_string(known->server.revision));
  }
  if (!known->server.instructions.empty())
    out.set("instructions", excerpt(known->server.instructions, kInstructionsBytes));
  out.set("tools", known->tools.size());
  out.set("prompts", known->prompts.size());
  out.set("resources", known->resources.size());
  out.set("templates", known->templates.size());
  if (!known->refused.empty()) {
    json::Array refused;
    for (const auto& [tool, changes] : known->refused) {
      if (refused.size() >= kRefusedListed) break;
      refused.push_back(json::Object{{"tool", excerpt(tool)}, {"changes", excerpt(changes, kChangesBytes)}});
    }
    out.set("refused_count", known->refused.size());
    out.set("refused", std::move(refused));
  }
  return out;
}

}  // namespace sluice::gateway
