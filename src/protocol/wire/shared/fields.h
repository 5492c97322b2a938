#pragma once

#include <optional>
#include <vector>

#include "sluice/json/writer.h"
#include "sluice/protocol/model/annotations.h"
#include "sluice/protocol/revision.h"

namespace sluice::protocol {

// When a feature entered the protocol.
constexpr bool has_tool_annotations(Revision revision) { return revision >= Revision::k2025_03_26; }
constexpr bool has_audio(Revision revision) { return revision >= Revision::k2025_03_26; }
constexpr bool has_completions_capability(Revision revision) { return revision >= Revision::k2025_03_26; }
constexpr bool has_progress_message(Revision revision) { return revision >= Revision::k2025_03_26; }
constexpr bool has_titles(Revision revision) { return revision >= Revision::k2025_06_18; }
constexpr bool has_structured_content(Revision revision) { return revision >= Revision::k2025_06_18; }
constexpr bool has_resource_links(Revision revision) { return revision >= Revision::k2025_06_18; }
constexpr bool has_meta_everywhere(Revision revision) { return revision >= Revision::k2025_06_18; }
constexpr bool has_icons(Revision revision) { return revision >= Revision::k2025_11_25; }
constexpr bool has_extensions(Revision revision) { return revision >= Revision::k2026_07_28; }
// Before, structured content and output schemas had to be objects.
constexpr bool has_any_structured_value(Revision revision) { return revision >= Revision::k2026_07_28; }

inline std::string_view to_string(Role role) { return role == Role::kUser ? "user" : "assistant"; }

void write_annotations(const std::optional<Annotations>& annotations, json::Writer& out);
void write_icons(const std::vector<Icon>& icons, Revision revision, json::Writer& out);
void write_meta(const json::Object& meta, Revision revision, json::Writer& out);

}  // namespace sluice::protocol
