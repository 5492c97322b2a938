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
