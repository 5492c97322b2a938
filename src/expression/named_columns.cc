#include "sluice/expression/named_columns.h"

#include "sluice/base/text.h"

#include "sql_member.h"

namespace sluice::expression {

namespace {

void add_all(const json::Array& names, NamedColumns& out) {
  for (const json::Value& name : names) {
    if (name.is_string()) out.names.insert(to_lower_ascii(*name.if_string()));
  }
}

// The name of a column that stands alone.
void add_ordered(const json::Value* node, NamedColumns& out) {
  if (node == nullptr || member_text(*node, "class") != "COLUMN_REF") return;
  const json::Array& parts = member_items(*node, "column_names");
  if (!parts.empty() && parts.back().is_string())
    out.ordered.insert(to_lower_ascii(*parts.back().if_string()));
}

bool is_order_comparison(std::string_view type) {
  return type == "COMPARE_LESSTHAN" || type == "COMPARE_GREATERTHAN" || type == "COMPARE_LESSTHANOREQUALTO" ||
         type == "COMPARE_GREATERTHANOREQUALTO";
}

void collect_ordered(const json::Object& node, const json::Value& value, NamedColumns& out) {
  for (const json::Value& order : member_items(value, "orders")) add_ordered(order.find("expression"), out);
  if (is_order_comparison(member_text(value, "type"))) {
    add_ordered(node.find("left"), out);
    add_ordered(node.find("right"), out);
  }
  if (member_text(value, "class") == "BETWEEN") add_ordered(node.find("input"), out);
  const std::string_view function = member_text(value, "function_name");
  const json::Array& arguments = member_items(value, "children");
  if ((function == "min" || function == "max") && !arguments.empty()) add_ordered(&arguments.front(), out);
}

// As deep as the checked statement is, which is bounded.
void collect_named_columns(const json::Value& value, NamedColumns& out) {
  if (const json::Array* items = value.if_array(); items != nullptr) {
    for (const json::Value& item : *items) collect_named_columns(item, out);
    return;
  }
  const json::Object* object = value.if_object();
  if (object == nullptr) return;
  if (member_text(value, "class") == "STAR") out.has_star = true;
  add_all(member_items(value, "column_names"), out);
  add_all(member_items(value, "using_columns"), out);
  collect_ordered(*object, value, out);
  for (const json::Member& member : *object) collect_named_columns(member.value, out);
}

}  // namespace

bool NamedColumns::may_read(std::string_view column) const {
  return has_star || names.contains(to_lower_ascii(column));
}

NamedColumns named_columns(const json::Value& tree) {
  NamedColumns out;
  collect_named_columns(tree, out);
  return out;
}

}  // namespace sluice::expression
