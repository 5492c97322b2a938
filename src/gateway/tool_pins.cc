#include "sluice/gateway/tool_pins.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/fs/durable.h"
#include "sluice/json/reader.h"
#include "sluice/json/writer.h"
#include "sluice/protocol/wire/definitions.h"

namespace sluice::gateway {
namespace {

constexpr std::size_t kPinsBytesMax = std::size_t{16} * 1024 * 1024;
constexpr std::size_t kShownBytes = 400;
constexpr std::array<std::string_view, 6> kFields{"name",        "title",        "description",
                                                  "inputSchema", "outputSchema", "annotations"};

// What is pinned of a tool: everything that a model or a host decides by.
Result<json::Object> pinned_form(const protocol::Tool& tool) {
  json::Writer out;
  protocol::encode(tool, protocol::kNewest, out);
  SLUICE_TRY(const json::Value all, json::read(out.text(), {.bytes_max = kPinsBytesMax}));
  json::Object form;
  for (const std::string_view field : kFields) {
    if (const json::Value* value = all.find(field)) form.append_unchecked(std::string(field), *value);
  }
  return form;
}

json::Value shown(const json::Value* value) {
  if (value == nullptr) return nullptr;
  const std::string* text = value->if_string();
  return encode_controls(excerpt(text != nullptr ? *text : json::to_text(*value), kShownBytes));
}

// "" where nothing has changed.
std::string difference(const json::Value& was, const json::Object& is) {
  json::Array changes;
  for (const std::string_view field : kFields) {
    const json::Value* before = was.find(field);
    const json::Value* now = is.find(field);
    const bool same = (before == nullptr && now == nullptr) ||
                      (before != nullptr && now != nullptr && json::equal(*before, *now));
    if (!same) changes.push_back(json::Object{{"field", field}, {"was", shown(before)}, {"is", shown(now)}});
  }
  return changes.empty() ? "" : json::to_text(json::Value(std::move(changes)));
}

// Stands in the place of a tool that is refused: nothing of its new words is shown.
protocol::Tool stand_in(const protocol::Tool& tool) {
  protocol::Tool out;
  out.name = tool.name;
  out.description = "Refused: its definition is not the one that was first used. Calls say what has changed.";
  out.input_schema = json::Object{{"type", "object"}};
  return out;
}

std::string file_of(const std::string& name_space) { return name_space + ".pins.json"; }

Error unreadable(const std::string& name_space) {
  return unavailable("read the pinned definitions of " + name_space).with_code("pins_unreadable");
}

}  // namespace

Result<std::shared_ptr<ToolPins>> ToolPins::open(const std::string& folder) {
  SLUICE_TRY(fs::PrivateFolder opened, fs::PrivateFolder::open(folder));
  return std::shared_ptr<ToolPins>(new ToolPins(std::move(opened)));
}

Result<json::Value> ToolPins::pinned(const std::string& name_space) const {
  const Result<fs::File> file = folder_.root().open_beneath(file_of(name_space));
  if (!file.ok() && file.error().kind != ErrorKind::kNotFound) return unreadable(name_space);
  if (!file.ok()) return json::Value();
  SLUICE_TRY(const std::string text, file->read_all(kPinsBytesMax));
  Result<json::Value> known = json::read(text, {.bytes_max = kPinsBytesMax});
  if (!known.ok() || !known->is_object()) return unreadable(name_space);
  return known;
}

Status ToolPins::write(const std::string& name_space, const json::Object& forms, bool is_new) const {
  const std::string name = file_of(name_space);
  if (is_new) {
    // Made first, so that only we may read it; replacing a file keeps its mode.
    SLUICE_TRY(const fs::FileWriter made, folder_.create(name));
  }
  return fs::replace_file(folder_.root(), name, json::to_text(forms));
}

Result<ToolPins::Verdict> ToolPins::check(const std::string& name_space,
                                          const std::vector<protocol::Tool>& tools) {
  const MutexLock lock(mutex_);
  json::Object forms;
  for (const protocol::Tool& tool : tools) {
    SLUICE_TRY(json::Object form, pinned_form(tool));
    forms.set(tool.name, std::move(form));
  }
  SLUICE_TRY(const json::Value known, pinned(name_space));
  if (known.is_null()) {
    SLUICE_CHECK(write(name_space, forms, true));
    return Verdict{.tools = tools, .refused = {}};
  }
  Verdict verdict;
  for (const protocol::Tool& tool : tools) {
    const json::Value* before = known.find(tool.name);
    std::string changed = before == nullptr
                              ? R"([{"field":"name","was":null,"is":"a tool that was not there"}])"
                              : difference(*before, *forms.find(tool.name)->if_object());
    if (changed.empty()) {
      verdict.tools.push_back(tool);
      continue;
    }
    log::warning("gateway.tool_changed",
                 {{"upstream", name_space}, {"tool", excerpt(tool.name)}, {"changes", changed}});
    if (before != nullptr) verdict.tools.push_back(stand_in(tool));
    verdict.refused.emplace(tool.name, std::move(changed));
  }
  return verdict;
}

Status ToolPins::accept(const std::string& name_space, const std::vector<protocol::Tool>& tools,
                        const std::string& accepted) {
  const MutexLock lock(mutex_);
  const auto tool = std::find_if(tools.begin(), tools.end(),
                                 [&](const protocol::Tool& each) { return each.name == accepted; });
  if (tool == tools.end())
    return not_found(fmt::format("upstream {} has no tool {}", name_space, excerpt(accepted)));
  SLUICE_TRY(json::Object form, pinned_form(*tool));
  SLUICE_TRY(const json::Value known, pinned(name_space));
  json::Object forms = known.is_null() ? json::Object() : *known.if_object();
  forms.set(accepted, std::move(form));
  return write(name_space, forms, known.is_null());
}

}  // namespace sluice::gateway
