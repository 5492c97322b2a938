#include "sql_totals.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/text.h"

#include "sql_member.h"

namespace sluice::expression {

namespace {

struct TotalName {
  std::string_view name;
  AggregateFn fn;
};
constexpr std::array kTotalFunctions = {
    TotalName{"sum", AggregateFn::kSum},       TotalName{"fsum", AggregateFn::kSum},
    TotalName{"kahan_sum", AggregateFn::kSum}, TotalName{"avg", AggregateFn::kAvg},
    TotalName{"mean", AggregateFn::kAvg},      TotalName{"favg", AggregateFn::kAvg},
    TotalName{"median", AggregateFn::kMedian}};

std::optional<AggregateFn> total_of(const json::Value& node) {
  const std::string name = to_lower_ascii(member_text(node, "function_name"));
  for (const TotalName& total : kTotalFunctions) {
    if (total.name == name) return total.fn;
  }
  return std::nullopt;
}

// The column that an argument is, also within a cast; empty for anything else.
std::string argument_column(const json::Value* argument) {
  while (argument != nullptr && member_text(*argument, "class") == "CAST") argument = argument->find("child");
  if (argument == nullptr || member_text(*argument, "class") != "COLUMN_REF") return {};
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
  if (std::string column = argument_column(&arguments->front()); !column.empty())
    totals.push_back({.column = std::move(column), .fn = *fn});
}

bool reads_data(const json::Value& select) {
  const json::Value* from = select.find("from_table");
  return from != nullptr && member_text(*from, "type") == "BASE_TABLE" &&
         equal_ignoring_case(member_text(*from, "table_name"), "data");
}

// The tree's depth is bounded by the check that came before.
void collect_totals(const json::Value& node, bool is_over_data, std::vector<Aggregate>& totals) {
  if (const json::Array* list = node.if_array()) {
    for (const json::Value& item : *list) collect_totals(item, is_over_data, totals);
    return;
  }
  const json::Object* object = node.if_object();
  if (object == nullptr) return;
  if (member_text(node, "type") == "SELECT_NODE") is_over_data = reads_data(node);
  if (is_over_data) add_total(node, totals);
  for (const auto& [key, value] : *object) collect_totals(value, is_over_data, totals);
}

}  // namespace

std::vector<Aggregate> totals_of(const json::Value& tree) {
  std::vector<Aggregate> totals;
  collect_totals(tree, false, totals);
  return totals;
}

}  // namespace sluice::expression
