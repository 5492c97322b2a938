#include "polars_totals.h"

#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::expression {

namespace {

constexpr std::array<std::pair<std::string_view, AggregateFn>, 3> kTotalMethods = {
    {{"sum", AggregateFn::kSum}, {"mean", AggregateFn::kAvg}, {"median", AggregateFn::kMedian}}};

// The name of a method or function that a node calls; empty for anything else.
std::string_view called(const PolarsNode& node) {
  const bool is_call = node.kind == PolarsKind::kCall && !node.children.empty();
  return is_call && node.children[0].kind == PolarsKind::kAttribute ? std::string_view(node.children[0].text)
                                                                    : std::string_view();
}

std::string first_text(const PolarsNode& call) {
  return call.children.size() > 1 && call.children[1].kind == PolarsKind::kText ? call.children[1].text
                                                                                : std::string();
}

// The column of pl.col("x").sum() and of pl.sum("x").
std::string totalled_column(const PolarsNode& call) {
  const PolarsNode& receiver = call.children[0].children[0];
  if (receiver.kind == PolarsKind::kName) return first_text(call);
  return called(receiver) == "col" ? first_text(receiver) : std::string();
}

void find_totals(const PolarsNode& node, const std::set<std::string>& replaced,
                 std::vector<Aggregate>& totals) {
  for (const auto& [name, fn] : kTotalMethods) {
    if (called(node) != name || node.children[0].children.empty()) continue;
    std::string column = totalled_column(node);
    if (!column.empty() && !replaced.contains(column))
      totals.push_back({.column = std::move(column), .fn = fn});
  }
  for (const PolarsNode& child : node.children) find_totals(child, replaced, totals);
}

// Names that with_columns gives to expressions: such a column is not the one of the data.
void add_outputs(const PolarsNode& node, std::set<std::string>& names) {
  for (const std::string& name : node.names) {
    if (!name.empty()) names.insert(name);
  }
  if (called(node) == "alias") names.insert(first_text(node));
  for (const PolarsNode& child : node.children) add_outputs(child, names);
}

}  // namespace

std::vector<Aggregate> totals_of(const std::vector<PolarsStep>& steps) {
  std::vector<Aggregate> totals;
  std::set<std::string> replaced;
  for (const PolarsStep& step : steps) {
    // The chain is nested: a call's first child holds all the steps before it.
    for (std::size_t i = 1; i < step.call->children.size(); ++i)
      find_totals(step.call->children[i], replaced, totals);
    if (step.name == "agg" || step.name == "len" || step.name == "select" || step.name == "unique") break;
    if (step.name == "with_columns") {
      for (std::size_t i = 1; i < step.call->children.size(); ++i)
        add_outputs(step.call->children[i], replaced);
      replaced.insert(step.call->names.begin(), step.call->names.end());
    }
  }
  return totals;
}

}  // namespace sluice::expression
