#include "sql_totals.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/text.h"

namespace sluice::expression {

namespace {

struct TotalName {
  std::string_view name;
  AggregateFn fn;
};
constexpr std::array kTotals = {
    TotalName{"sum", AggregateFn::kSum},       TotalName{"fsum", AggregateFn::kSum},
    TotalName{"kahan_sum", AggregateFn::kSum}, TotalName{"avg", AggregateFn::kAvg},
    TotalName{"mean", AggregateFn::kAvg},      TotalName{"favg", AggregateFn::kAvg},
    TotalName{"median", AggregateFn::kMedian}};

std::string_view text_of(const json::Value& node, std::string_view key) {
  const json::Value* value = node.find(key);
  const std::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

std::optional<AggregateFn> total_of(const json::Value& node) {
  const std::string name = to_lower_ascii(text_of(node, "function_name"));
  for (const TotalName& total : kTotals) {
    if (total.name == name) return total.fn;
  }
  return std::nullopt;
}

// The column that an argument is, also within a cast; empty for anything else.
std::string column_of(const json::Value* argument) {
  while (argument != nullptr && text_of(*argument, "class") == "CAST") argument = argument->find("child");
  if (argument == nullptr || text_of(*argument, "class") != "COLUMN_REF") return {};
  const json::Value* names = argument->find("column_names");
  const json::Array* list = names == nullptr ? nullptr : names->if_array();
  if (list == nullptr || list->empty() || list->back().if_string() == nullptr) return {};
  return *list->back().if_string();
}

void add_total(const json::Value& node, std::vector<Aggregate>& totals) {
  const std::optional<AggregateFn> fn = total_of(node);
  const json::Value* distinct = node.find("distinct");
  const json::Value* children = node.find("children");
  const json::Array* arguments = children == nullptr ? nullptr : children->if_array();
  if (!fn || arguments == nullptr || arguments->empty()) return;
  if (distinct != nullptr && distinct->if_bool() != nullptr && *distinct->if_bool()) return;
  if (std::string column = column_of(&arguments->front()); !column.empty())
    totals.push_back({.column = std::move(column), .fn = *fn});
}

bool reads_data(const json::Value& select) {
  const json::Value* from = select.find("from_table");
  return from != nullptr && text_of(*from, "type") == "BASE_TABLE" &&
         equal_ignoring_case(text_of(*from, "table_name"), "data");
}

// The tree's depth is bounded by the check that came before.
void walk(const json::Value& node, bool is_over_data, std::vector<Aggregate>& totals) {
  if (const json::Array* list = node.if_array()) {
    for (const json::Value& item : *list) walk(item, is_over_data, totals);
    return;
  }
  const json::Object* object = node.if_object();
  if (object == nullptr) return;
  if (text_of(node, "type") == "SELECT_NODE") is_over_data = reads_data(node);
  if (is_over_data) add_total(node, totals);
  for (const auto& [key, value] : *object) walk(value, is_over_data, totals);
}

}  // namespace

std::vector<Aggregate> totals_of(const json::Value& tree) {
  std::vector<Aggregate> totals;
  walk(tree, false, totals);
  return totals;
}

}  // namespace sluice::expression
