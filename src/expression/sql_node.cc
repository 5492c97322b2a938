#include "sql_node.h"

#include <algorithm>

#include "sluice/base/text.h"

namespace sluice::expression {

namespace {

constexpr std::string_view kSqlHint =
    "Write one SELECT: WITH, JOIN, WHERE, GROUP BY, HAVING, QUALIFY, PIVOT, "
    "ORDER BY, LIMIT, UNION, windows, "
    "unnest, and functions of text, numbers, dates, lists and JSON.";

bool is_empty(const json::Value& value) {
  switch (value.type()) {
    case json::Type::kNull:
      return true;
    case json::Type::kBool:
      return !*value.if_bool();
    case json::Type::kNumber:
      return false;
    case json::Type::kString:
      return value.if_string()->empty();
    case json::Type::kArray:
      return value.if_array()->empty();
    case json::Type::kObject:
      return value.if_object()->empty();
  }
  return false;
}

// Expressions have a class, tables and queries a type, statements a node.
bool holds_only_names(const json::Value& value) {
  if (const json::Array* array = value.if_array(); array != nullptr) {
    return std::all_of(array->begin(), array->end(), holds_only_names);
  }
  const json::Object* object = value.if_object();
  if (object == nullptr) return true;
  if (object->contains("class") || object->contains("type") || object->contains("node")) return false;
  return std::all_of(object->begin(), object->end(),
                     [](const json::Member& member) { return holds_only_names(member.value); });
}

}  // namespace

Error refused(std::string_view what) {
  return invalid_input("this SQL is not allowed: " + excerpt(what))
      .with_code("invalid_sql")
      .with_hint(kSqlHint);
}

Error not_parsed(std::string_view message) {
  return invalid_input(std::string(kNotParsed) + (message.empty() ? "" : ": " + excerpt(message)))
      .with_code("invalid_sql")
      .with_hint(kSqlHint);
}

Error too_large(std::string_view what) {
  return invalid_input("this SQL is too large: " + excerpt(what))
      .with_code("expression_too_large")
      .with_hint("Ask a smaller question, or several.");
}

Error unsupported_clause(std::string_view clause, std::string_view instead) {
  return invalid_input("this clause is not supported: " + std::string(clause))
      .with_code("unsupported_clause")
      .with_hint(std::string(instead));
}

Error no_sample() {
  return unsupported_clause("TABLESAMPLE and USING SAMPLE",
                            "Use WHERE hash(column) % 100 = 0, which picks the same rows every time, "
                            "or ORDER BY hash(column) LIMIT n.");
}

SqlNode::SqlNode(const json::Object& object) : object_(object), is_taken_(object.size(), false) {}

Result<SqlNode> SqlNode::of(const json::Value* value) {
  if (value == nullptr || !value->is_object()) return refused("a part that is missing");
  SqlNode node(*value->if_object());
  node.take("query_location");
  return node;
}

const json::Value* SqlNode::take(std::string_view key) {
  for (std::size_t i = 0; i < is_taken_.size(); ++i) {
    if (object_.members()[i].key != key) continue;
    is_taken_[i] = true;
    return &object_.members()[i].value;
  }
  return nullptr;
}

std::string_view SqlNode::text(std::string_view key) {
  const json::Value* found = object_.find(key);
  if (found == nullptr || !found->is_string()) return {};
  return *take(key)->if_string();
}

bool SqlNode::flag(std::string_view key) {
  const json::Value* found = object_.find(key);
  if (found == nullptr || !found->is_bool()) return false;
  return *take(key)->if_bool();
}

const json::Array& SqlNode::items(std::string_view key) {
  static const json::Array kNone;
  const json::Value* found = object_.find(key);
  if (found == nullptr || !found->is_array()) return kNone;
  return *take(key)->if_array();
}

Status SqlNode::names(std::string_view key) {
  for (const json::Value& item : items(key)) {
    if (!holds_only_names(item)) return refused(key);
  }
  return {};
}

const json::Value* SqlNode::value(std::string_view key) {
  const json::Value* found = take(key);
  return found == nullptr || found->is_null() ? nullptr : found;
}

Status SqlNode::finish() const {
  for (std::size_t i = 0; i < is_taken_.size(); ++i) {
    const json::Member& member = object_.members()[i];
    if (!is_taken_[i] && !is_empty(member.value)) return refused(member.key);
  }
  return {};
}

}  // namespace sluice::expression
