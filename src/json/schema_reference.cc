#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "schema_compiler.h"
#include "schema_uri.h"

namespace sluice::json {
namespace {

// The first step of a JSON pointer (RFC 6901), which is taken off it.
std::string take_step(std::string_view& pointer) {
  pointer.remove_prefix(1);
  const std::size_t end = std::min(pointer.find('/'), pointer.size());
  std::string step;
  for (std::size_t i = 0; i < end; ++i) {
    const bool escaped = pointer[i] == '~' && i + 1 < end && (pointer[i + 1] == '0' || pointer[i + 1] == '1');
    if (escaped) {
      step += pointer[++i] == '0' ? '~' : '/';
    } else {
      step += pointer[i];
    }
  }
  pointer.remove_prefix(end);
  return step;
}

const Value* step_into(const Value& value, const std::string& step) {
  const Array* array = value.if_array();
  if (array == nullptr) return value.find(step);
  std::size_t index = 0;
  const auto parsed = std::from_chars(step.data(), step.data() + step.size(), index);
  const bool whole = parsed.ec == std::errc{} && parsed.ptr == step.data() + step.size();
  return whole && index < array->size() ? &(*array)[index] : nullptr;
}

}  // namespace

// A pointer may lead anywhere in the document, also under keywords that we do not know, so the target is
// declared here where it has not been. kNone where it leads to nothing.
Result<SchemaNodeIndex> SchemaCompiler::resolve_pointer(SchemaResourceIndex resource,
                                                        std::string_view pointer) {
  const Value* value = resources_[resource].root;
  Position at = drafts_[node_of_.at(value)].at;
  while (!pointer.empty()) {
    const std::string step = take_step(pointer);
    value = step_into(*value, step);
    if (value == nullptr) return kNone;
    if (const auto known = node_of_.find(value); known != node_of_.end()) {
      at = drafts_[known->second].at;
    } else {
      at.pointer += pointer_step(step);
    }
  }
  if (const auto known = node_of_.find(value); known != node_of_.end()) return known->second;
  at.depth = 0;
  return declare(*value, std::move(at));
}

Result<SchemaNodeIndex> SchemaCompiler::resolve(const Draft& draft, std::string_view keyword,
                                                std::string_view reference) {
  const std::string quoted = fmt::format("{} {}", keyword, excerpt(reference, 200));
  const Result<SchemaTarget> target = resolve_reference(resources_[draft.at.resource].uri, reference);
  if (!target.ok()) return schema_error(draft.at.pointer, fmt::format("not a URI reference: {}", quoted));
  const auto resource = resource_of_.find(target->document);
  if (resource == resource_of_.end()) {
    return schema_error(draft.at.pointer,
                        fmt::format("refers to another document, and those are never fetched: {}", quoted));
  }
  const std::string& fragment = target->fragment;
  if (fragment.empty() || fragment.starts_with('/')) {
    Result<SchemaNodeIndex> node = resolve_pointer(resource->second, fragment);
    if (!node.ok() || *node != kNone) return node;
  } else {
    const auto& anchors = resources_[resource->second].anchors;
    if (const auto anchor = anchors.find(fragment); anchor != anchors.end()) return anchor->second;
  }
  return schema_error(draft.at.pointer, fmt::format("refers to nothing in this document: {}", quoted));
}

Status SchemaCompiler::fill_references(const Draft& draft, SchemaNode& node) {
  for (const std::string_view keyword : {"$ref", "$dynamicRef"}) {
    const Value* value = draft.find(keyword);
    if (value == nullptr) continue;
    const std::string* reference = value->if_string();
    if (reference == nullptr) return keyword_error(draft.at.pointer, keyword, "a string", *value);
    SLUICE_TRY(const SchemaNodeIndex target, resolve(draft, keyword, *reference));
    if (keyword == "$ref") {
      node.ref = target;
      continue;
    }
    node.dynamic_ref = target;
    const std::size_t hash = reference->find('#');
    const std::string name = hash == std::string::npos ? "" : reference->substr(hash + 1);
    for (const auto& [anchor, holder] : program_.resources[program_.nodes[target].resource].dynamic_anchors) {
      if (anchor == name && holder == target) node.dynamic_anchor = name;
    }
  }
  return {};
}

}  // namespace sluice::json
