#include <algorithm>
#include <utility>

#include "sluice/base/text.h"

#include "polars_error.h"
#include "polars_query.h"

namespace sluice::expression {

namespace {

using Aggregates = PolarsExpressions::Aggregates;

// pl.col("a", "b") or pl.col(["a", "b"]).
bool is_several_columns(const PolarsNode& node) {
  return node.kind == PolarsKind::kCall && node.children[0].kind == PolarsKind::kAttribute &&
         node.children[0].children[0].kind == PolarsKind::kName && node.children[0].text == "col" &&
         (node.children.size() > 2 ||
          (node.children.size() == 2 && node.children[1].kind == PolarsKind::kList));
}

// One flag for every key, or a list with one for each.
Result<std::vector<bool>> flags(const PolarsNode* node, std::size_t count, std::string_view name) {
  std::vector<bool> out(count, false);
  if (node == nullptr) return out;
  const bool is_list = node->kind == PolarsKind::kList;
  if (is_list && node->children.size() != count) {
    return invalid_expression(node->position, std::string(name) + " needs one value for each column");
  }
  for (std::size_t i = 0; i < count; ++i) {
    const PolarsNode& flag = is_list ? node->children[i] : *node;
    if (flag.kind != PolarsKind::kBool) {
      return invalid_expression(flag.position, std::string(name) + " must be True or False");
    }
    out[i] = flag.integer != 0;
  }
  return out;
}

// All expressions of a call, lists opened.
std::vector<const PolarsNode*> expressions_of(const PolarsNode& call) {
  PolarsArguments arguments(call);
  std::vector<const PolarsNode*> out = arguments.rest();
  for (const auto& [name, node] : arguments.rest_named()) out.push_back(node);
  return out;
}

// Everything in agg has one value for each group.
Status check_aggregates(const PolarsNode& agg) {
  for (const PolarsNode* node : expressions_of(agg)) {
    const PolarsShape shape = shape_of(*node);
    if (shape.has_aggregate && !shape.has_column) continue;
    return invalid_expression(node->position, "agg takes aggregates",
                              "Write pl.col(\"x\").sum(), or another of mean, min, max, median, count, len, "
                              "n_unique, first, last, std, var.");
  }
  return {};
}

}  // namespace

Result<std::vector<PolarsValue>> PolarsQuery::values(const PolarsNode& call, PolarsArguments& arguments,
                                                     PolarsExpressions& expressions) {
  std::vector<PolarsValue> out;
  for (const PolarsNode* node : arguments.rest()) {
    if (is_several_columns(*node)) {
      SLUICE_TRY(const std::vector<std::string> names, column_names(PolarsArguments(*node).rest()));
      for (const std::string& name : names) {
        SLUICE_TRY(PolarsValue value, expressions.column(name));
        out.push_back(std::move(value));
      }
      continue;
    }
    SLUICE_TRY(PolarsValue value, expressions.compile_or_column(*node));
    out.push_back(std::move(value));
  }
  for (const auto& [name, node] : arguments.rest_named()) {
    SLUICE_TRY(PolarsValue value, expressions.compile_or_column(*node));
    value.name = name;
    out.push_back(std::move(value));
  }
  if (out.empty()) return invalid_expression(call.position, "an expression is expected");
  return out;
}

Status PolarsQuery::filter(const PolarsNode& call) {
  PolarsArguments arguments(call);
  PolarsExpressions conditions = expressions(Aggregates::kOfWindows);
  const std::vector<const PolarsNode*> nodes = arguments.rest();
  std::string sql;
  for (const PolarsNode* node : nodes) {
    SLUICE_TRY(const PolarsValue value, conditions.compile_or_column(*node));
    if (!may_be(value.kind, ValueKind::kBool)) {
      return invalid_expression(node->position,
                                "filter takes a condition, not " + std::string(to_string(value.kind)));
    }
    sql += (sql.empty() ? "" : " AND ") + value.sql;
  }
  SLUICE_CHECK(arguments.finish());
  if (sql.empty()) return invalid_expression(call.position, "filter takes a condition");
  plan_.filter(nodes);
  if (conditions.needs_rows()) {
    replace("SELECT " + all_columns() + " FROM " + numbered_source() + " QUALIFY " + sql + " ORDER BY " +
            row_column());
  } else {
    replace("SELECT * FROM " + source() + " WHERE " + sql);
  }
  return {};
}

Status PolarsQuery::select(const PolarsNode& call) {
  bool has_column = false;
  bool has_aggregate = false;
  const std::vector<const PolarsNode*> nodes = expressions_of(call);
  for (const PolarsNode* node : nodes) {
    const PolarsShape shape = shape_of(*node);
    has_column = has_column || shape.has_column || node->kind == PolarsKind::kText;
    has_aggregate = has_aggregate || shape.has_aggregate;
  }
  const bool is_total = has_aggregate && !has_column;
  PolarsExpressions items = expressions(is_total ? Aggregates::kOfGroups : Aggregates::kOfWindows);
  PolarsArguments arguments(call);
  SLUICE_TRY(std::vector<PolarsValue> selected, values(call, arguments, items));
  if (is_total) {
    plan_.group({}, nodes, selected);
  } else {
    plan_.select(selected);
  }
  Output output;
  for (PolarsValue& value : selected) SLUICE_CHECK(add(output, call, std::move(value)));
  if (!has_aggregate && !has_column) {  // Only values: one row, whatever there is.
    replace("SELECT " + output.list);
  } else if (is_total) {
    replace("SELECT " + output.list + " FROM " + (items.needs_rows() ? numbered_source() : source()));
  } else if (items.needs_rows()) {
    replace("SELECT " + output.list + " FROM " + numbered_source() + " ORDER BY " + row_column());
  } else {
    replace("SELECT " + output.list + " FROM " + source());
  }
  if (!has_column) rows_max_ = 1;
  columns_ = std::move(output.columns);
  return {};
}

Status PolarsQuery::with_columns(const PolarsNode& call) {
  PolarsExpressions items = expressions(Aggregates::kOfWindows);
  PolarsArguments arguments(call);
  SLUICE_TRY(std::vector<PolarsValue> added, values(call, arguments, items));
  plan_.end();
  Output output;
  std::vector<bool> is_used(added.size(), false);
  for (const PolarsColumn& column : columns_) {
    PolarsValue value{.sql = engine::quote_name(column.name),
                      .kind = column.kind,
                      .temporal_type = column.temporal_type,
                      .name = column.name};
    for (std::size_t i = 0; i < added.size(); ++i) {
      if (is_used[i] || added[i].name != column.name) continue;
      value = added[i];
      is_used[i] = true;
      break;
    }
    SLUICE_CHECK(add(output, call, std::move(value)));
  }
  for (std::size_t i = 0; i < added.size(); ++i) {
    if (!is_used[i]) SLUICE_CHECK(add(output, call, std::move(added[i])));
  }
  if (items.needs_rows()) {
    replace("SELECT " + output.list + " FROM " + numbered_source() + " ORDER BY " + row_column());
  } else {
    replace("SELECT " + output.list + " FROM " + source());
  }
  columns_ = std::move(output.columns);
  return {};
}

Status PolarsQuery::group(const PolarsNode& keys, const PolarsStep& aggregation) {
  PolarsArguments key_arguments(keys);
  SLUICE_TRY(const bool keeps_order, key_arguments.flag("maintain_order", false));
  for (const PolarsNode& key : keys.children) {
    if (&key != &keys.children.front() && shape_of(key).has_aggregate) {
      return invalid_expression(key.position, "group_by takes columns, not aggregates");
    }
  }
  PolarsExpressions items = expressions(Aggregates::kOfGroups);
  SLUICE_TRY(std::vector<PolarsValue> grouped_by, values(keys, key_arguments, items));
  const std::size_t key_count = grouped_by.size();
  const PolarsNode& call = *aggregation.call;
  PolarsArguments arguments(call);
  std::vector<PolarsValue> aggregates;
  std::vector<const PolarsNode*> calls = {nullptr};
  if (aggregation.name == "len") {
    SLUICE_CHECK(arguments.finish());
    aggregates.push_back({.sql = "count(*)", .kind = ValueKind::kInteger, .name = "len"});
  } else {
    SLUICE_CHECK(check_aggregates(call));
    calls = expressions_of(call);
    SLUICE_TRY(aggregates, values(call, arguments, items));
  }
  if (keeps_order) plan_.end();
  plan_.group(grouped_by, calls, aggregates);
  Output output;
  for (PolarsValue& value : grouped_by) SLUICE_CHECK(add(output, call, std::move(value)));
  for (PolarsValue& value : aggregates) SLUICE_CHECK(add(output, call, std::move(value)));
  const bool is_numbered = items.needs_rows() || keeps_order;
  std::string positions;
  std::string order;
  for (std::size_t i = 1; i <= key_count; ++i) {
    positions += (i == 1 ? "" : ", ") + std::to_string(i);
    order += (i == 1 ? "" : ", ") + std::to_string(i) + " NULLS LAST";
  }
  if (keeps_order) order = "min(" + row_column() + ")";
  replace("SELECT " + output.list + " FROM " + (is_numbered ? numbered_source() : source()) + " GROUP BY " +
          positions + " ORDER BY " + order);
  columns_ = std::move(output.columns);
  return {};
}

Status PolarsQuery::sort(const PolarsNode& call) {
  PolarsArguments arguments(call);
  const PolarsNode* by = arguments.named("by");
  std::vector<const PolarsNode*> keys = arguments.rest();
  if (by != nullptr && by->kind != PolarsKind::kList) keys.push_back(by);
  if (by != nullptr && by->kind == PolarsKind::kList) {
    for (const PolarsNode& key : by->children) keys.push_back(&key);
  }
  SLUICE_TRY(const std::vector<bool> descending,
             flags(arguments.named("descending"), keys.size(), "descending"));
  SLUICE_TRY(const std::vector<bool> nulls_last,
             flags(arguments.named("nulls_last"), keys.size(), "nulls_last"));
  SLUICE_CHECK(arguments.flag("maintain_order", true));  // It always is.
  SLUICE_CHECK(arguments.finish());
  if (keys.empty()) return invalid_expression(call.position, "sort takes at least one column");
  PolarsExpressions items = expressions(Aggregates::kOfWindows);
  std::string order;
  std::vector<PolarsValue> compiled(keys.size());
  std::vector<PolarsPlan::SortTerm> terms;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    SLUICE_TRY(compiled[i], items.compile_or_column(*keys[i]));
    const PolarsValue& value = compiled[i];
    terms.push_back({.value = &value, .descending = descending[i], .nulls_first = !nulls_last[i]});
    // In brackets a number is a value, not the position of a column.
    order += "(" + value.sql + ")" + (descending[i] ? " DESC" : " ASC") +
             (nulls_last[i] ? " NULLS LAST, " : " NULLS FIRST, ");
  }
  plan_.sort(terms);
  replace("SELECT " + all_columns() + " FROM " + numbered_source() + " ORDER BY " + order + row_column());
  return {};
}

Status PolarsQuery::head(const PolarsNode& call) {
  constexpr std::int64_t kDefault = 5;
  PolarsArguments arguments(call);
  const PolarsNode* count = arguments.next_or_named("n");
  SLUICE_CHECK(arguments.finish());
  if (count != nullptr && (count->kind != PolarsKind::kInteger || count->integer < 0)) {
    return invalid_expression(count->position, "head takes a number of rows", "Write .head(10).");
  }
  const auto rows = static_cast<std::uint64_t>(count == nullptr ? kDefault : count->integer);
  plan_.head(rows);
  // Behind the ORDER BY of a sort, so that the engine keeps only the first rows.
  if (sql_.empty() || has_limit_) replace("SELECT * FROM " + source());
  sql_ += " LIMIT " + std::to_string(rows);
  has_limit_ = true;
  rows_max_ = std::min(rows_max_.value_or(rows), rows);
  return {};
}

Status PolarsQuery::unique(const PolarsNode& call) {
  PolarsArguments arguments(call);
  const PolarsNode* subset = arguments.next_or_named("subset");
  const PolarsNode* keep = arguments.named("keep");
  SLUICE_CHECK(arguments.flag("maintain_order", true));  // It always is.
  SLUICE_CHECK(arguments.finish());
  std::vector<const PolarsNode*> nodes;
  if (subset != nullptr && subset->kind == PolarsKind::kList) {
    for (const PolarsNode& node : subset->children) nodes.push_back(&node);
  } else if (subset != nullptr && subset->kind != PolarsKind::kNone) {
    nodes.push_back(subset);
  }
  SLUICE_TRY(const std::vector<std::string> names, column_names(nodes));
  std::string keys;
  for (const std::string& name : names) keys += (keys.empty() ? "" : ", ") + engine::quote_name(name);
  if (names.empty()) keys = all_columns();
  const std::string which = keep == nullptr ? "any" : keep->kind == PolarsKind::kText ? keep->text : "";
  std::string condition;
  if (which == "first" || which == "any" || which == "last") {
    condition = "row_number() OVER (PARTITION BY " + keys + " ORDER BY " + row_column() +
                (which == "last" ? " DESC" : "") + ") = 1";
  } else if (which == "none") {
    condition = "count(*) OVER (PARTITION BY " + keys + ") = 1";
  } else {
    return invalid_expression(keep->position, "keep is first, last, any or none");
  }
  plan_.end();
  replace("SELECT " + all_columns() + " FROM " + numbered_source() + " QUALIFY " + condition + " ORDER BY " +
          row_column());
  return {};
}

Status PolarsQuery::drop(const PolarsNode& call) {
  PolarsArguments arguments(call);
  SLUICE_TRY(const std::vector<std::string> names, column_names(arguments.rest()));
  SLUICE_CHECK(arguments.finish());
  std::vector<PolarsColumn> kept;
  for (const PolarsColumn& column : columns_) {
    if (std::find(names.begin(), names.end(), column.name) == names.end()) kept.push_back(column);
  }
  if (kept.empty()) return invalid_expression(call.position, "drop leaves no column");
  const std::string from = source();
  plan_.keep(kept);
  columns_ = std::move(kept);
  replace("SELECT " + all_columns() + " FROM " + from);
  return {};
}

}  // namespace sluice::expression
