#include <algorithm>
#include <cctype>
#include <string>

#include "sluice/base/text.h"

#include "sql_bounds.h"
#include "sql_member.h"
#include "sql_result_size.h"
#include "sql_tree_check.h"

namespace sluice::expression {

namespace {

bool takes_lambda(FunctionKind kind) {
  return kind == FunctionKind::kTransform || kind == FunctionKind::kFilter || kind == FunctionKind::kReduce;
}

// Whether it takes as long for a list of any size.
bool only_counts(const SqlFunction& function) {
  return function.kind == FunctionKind::kUnnest || function.name == "count" || function.name == "len" ||
         function.name == "array_length" || function.name == "cardinality";
}

bool is_operator(const SqlFunction& function) {
  return function.kind == FunctionKind::kMeasure &&
         std::isalpha(static_cast<unsigned char>(function.name.front())) == 0;
}

// Whether the elements of a list that a function returns are no lists themselves.
bool has_plain_elements(const SqlFunction& function, const Shape& first, const ArgumentSizes& sizes) {
  switch (function.kind) {
    case FunctionKind::kSeries:
    case FunctionKind::kRegex:
      return true;
    case FunctionKind::kCollect:
    case FunctionKind::kConcat:
      return !sizes.has_nested;
    case FunctionKind::kGrowing:
      return function.name != "from_json" && function.name != "json_transform";
    case FunctionKind::kScalar:
    case FunctionKind::kFilter:
      return function.name != "flatten" && first.is_nested && !first.element().is_nested;
    case FunctionKind::kTransform:
      return !sizes.lambda_is_nested;
    default:
      return false;
  }
}

}  // namespace

Result<const SqlFunction*> SqlTreeCheck::named_function(SqlNode& node, std::size_t arguments) {
  const std::string name = to_lower_ascii(node.text("function_name"));
  const std::string_view schema = node.text("schema");
  if ((!schema.empty() && schema != "main") || !node.text("catalog").empty()) {
    return refused("a function in a schema: " + name);
  }
  const SqlFunction* found = find_function(name);
  if (found == nullptr) {
    std::string hint(alternative_to(name));
    const std::string nearest = hint.empty() ? nearest_function(name) : std::string();
    if (hint.empty()) {
      hint = nearest.empty()
                 ? "Only functions of values are offered, none that read files, settings or the clock."
                 : "Did you mean " + nearest + "?";
    }
    return refused("the function " + name).with_hint(hint);
  }
  if (arguments < found->arguments_min || arguments > found->arguments_max) {
    const std::string least = std::to_string(found->arguments_min);
    const std::string most = std::to_string(found->arguments_max);
    return refused(name + " with " + std::to_string(arguments) + " arguments")
        .with_hint(name + " takes " + (least == most ? least : least + " to " + most) + ".");
  }
  return found;
}

// `document -> path`, which the engine parses as a lambda.
Result<SqlTreeCheck::Item> SqlTreeCheck::arrow(SqlNode& node, Scope& scope) {
  SLUICE_TRY(Item out, members(node, scope, {"lhs", "expr"}));
  SLUICE_TRY(const bool is_list, json_path_lists(*node.peek("expr")));
  out.shape = {.is_nested = is_list};
  return out;
}

// What a lambda returns for one element. Its growth counts in elements of the list, and in bytes for each.
Result<SqlTreeCheck::Item> SqlTreeCheck::lambda(const json::Value& value, const Shape& list, Scope& scope,
                                                FunctionKind kind) {
  SLUICE_TRY(SqlNode node, SqlNode::of(&value));
  for (const std::string_view known : {"class", "type", "alias"}) node.text(known);
  Scope inner{.outer = &scope};
  inner.growth = {.cells = 1, .bytes = 0};
  inner.has_nested_elements = list.element().is_nested;
  const json::Value* left = node.value("lhs");
  const json::Value* row = left == nullptr ? nullptr : left->find("children");
  const json::Array single = left == nullptr ? json::Array{} : json::Array{*left};
  for (const json::Value& parameter : row != nullptr && row->is_array() ? *row->if_array() : single) {
    const json::Value* names = parameter.find("column_names");
    const json::Array* parts = names == nullptr ? nullptr : names->if_array();
    if (parts == nullptr || parts->size() != 1 || !parts->front().is_string())
      return refused("a lambda without a name for its argument").with_hint("Write lambda x: x + 1.");
    inner.parameters.insert(to_lower_ascii(*parts->front().if_string()));
  }
  SLUICE_TRY(Item body, expression(node.value("expr"), inner));
  SLUICE_CHECK(node.finish());
  const bool makes = body.cost.grown.cells > 0 || body.cost.grown.bytes > 0 ||
                     (kind == FunctionKind::kTransform && body.growth.cells > 0);
  // Columns beside the element would be copied for every element of every row.
  if (makes && inner.uses_columns) {
    return refused("a lambda that makes text or lists of columns")
        .with_hint("Use unnest(list) in FROM, and compute with its rows.");
  }
  scope.used = scope.used | inner.used;
  scope.repeats_rows = scope.repeats_rows || inner.repeats_rows;
  scope.uses_columns = scope.uses_columns || inner.uses_columns;
  return body;
}

Result<SqlTreeCheck::Item> SqlTreeCheck::call(const SqlFunction& function, const json::Array& arguments,
                                              Scope& scope) {
  ArgumentSizes sizes;
  Item out;
  Shape first;
  for (const json::Value& argument : arguments) {
    const json::Value* alias = argument.find("alias");
    if (!function.takes_names && alias != nullptr && alias->is_string() && !alias->if_string()->empty()) {
      return refused("a named argument: " + *alias->if_string());
    }
    if (takes_lambda(function.kind) && has_class(argument, "LAMBDA")) {
      SLUICE_TRY(const Item body, lambda(argument, first, scope, function.kind));
      sizes.lambda_is_nested = body.shape.is_nested;
      sizes.lambda = body.growth;
      sizes.lambda_made = body.cost.grown;
      out.cost += body.cost;
      continue;
    }
    const Shape used = scope.used;
    SLUICE_TRY(const Item item, expression(&argument, scope));
    // What only counts a list copies nothing of it, and unnest takes it apart.
    if (only_counts(function) && has_class(argument, "COLUMN_REF"))
      scope.used.collects_lists = used.collects_lists;
    // It would look at the whole value again for every element: both can be large.
    if (item.shape.is_captured && !is_operator(function)) {
      return refused(std::string(function.name) + " of a column inside a lambda")
          .with_hint("Use list_intersect or list_has_any, or unnest(list) in FROM.");
    }
    if (&argument == &arguments.front()) {
      sizes.first = item.growth;
      first = item.shape;
    }
    sizes.sum = sizes.sum + item.growth;
    out.include(item);
  }
  sizes.largest = out.growth;
  sizes.has_nested = out.shape.is_nested;
  sizes.has_plain_elements = first.is_nested && !first.element().is_nested;
  out.cost = out.cost.times(function.copies);
  SLUICE_TRY(out.growth, result_size(function, arguments, sizes));
  if (makes_values(function)) out.cost.grown = out.cost.grown + out.growth;
  if (takes_lambda(function.kind))
    out.cost.grown = out.cost.grown + out.growth + sizes.first.times(for_each_element(sizes.lambda_made));
  const bool passes = function.kind == FunctionKind::kScalar || function.kind == FunctionKind::kWindow ||
                      is_aggregate_kind(function.kind) || function.name == "||";
  out.shape = {.is_nested = function.is_nested || (passes && sizes.has_nested),
               .collects_text = out.shape.collects_text,
               .collects_lists = out.shape.collects_lists,
               .is_shared = out.shape.is_shared};
  out.shape.has_plain_elements = out.shape.is_nested && has_plain_elements(function, first, sizes);
  if (function.kind == FunctionKind::kUnnest) out.shape = first.element();
  if (function.kind == FunctionKind::kJsonPath) {
    SLUICE_TRY(out.shape.is_nested, json_path_lists(arguments[1]));
  }
  note(function, out, scope);
  return out;
}

void SqlTreeCheck::note(const SqlFunction& function, Item& out, Scope& scope) {
  if (is_aggregate_kind(function.kind)) scope.has_aggregate = true;
  switch (function.kind) {
    case FunctionKind::kMeasure:
    case FunctionKind::kWord:
    case FunctionKind::kLike:
    case FunctionKind::kWildcard:
      out.shape = {};
      break;
    case FunctionKind::kUnnest:
      out.shape.collects_lists = false;
      out.shape.collects_text = false;
      if (out.shape.type == nullptr) out.shape.is_nested = true;
      scope.has_unnest = true;
      scope.repeats_rows = true;
      has_join_ = true;
      break;
    case FunctionKind::kCollect:
      (function.is_nested ? out.shape.collects_lists : out.shape.collects_text) = true;
      break;
    case FunctionKind::kHolistic:
      has_holistic_ = true;
      out.cost.kept_values =
          add_capped(out.cost.kept_values, multiply_capped(scope.rows, scope.grouping_sets));
      break;
    default:
      break;
  }
}

Result<SqlTreeCheck::Item> SqlTreeCheck::function(SqlNode& node, Scope& scope) {
  const json::Array& arguments = node.items("children");
  SLUICE_TRY(const SqlFunction* found, named_function(node, arguments.size()));
  if (found->kind == FunctionKind::kWindow) return refused(std::string(found->name) + " without OVER");
  node.flag("distinct");
  node.flag("is_operator");
  SLUICE_TRY(Item out, call(*found, arguments, scope));
  SLUICE_TRY(const Item filter, optional(node.value("filter"), scope));
  out.cost += filter.cost;
  if (const json::Value* order = node.value("order_bys"); order != nullptr) {
    SLUICE_TRY(SqlNode order_node, SqlNode::of(order));
    order_node.text("type");
    SLUICE_TRY(const Cost cost, orders(order_node.items("orders"), scope));
    SLUICE_CHECK(order_node.finish());
    out.cost += cost;
  }
  return out;
}

Result<SqlTreeCheck::Item> SqlTreeCheck::window(SqlNode& node, Scope& scope) {
  const json::Array& arguments = node.items("children");
  SLUICE_TRY(const SqlFunction* found, named_function(node, arguments.size()));
  const FunctionKind kind = found->kind;
  if (kind == FunctionKind::kCollect) {
    return refused(std::string(found->name) + " with OVER, which repeats all values in every row")
        .with_hint("Use GROUP BY, and join its result.");
  }
  if (kind == FunctionKind::kTopAggregate && arguments.size() == found->arguments_max) {
    return refused(std::string(found->name) + " of several rows with OVER")
        .with_hint("Use QUALIFY row_number() OVER (PARTITION BY … ORDER BY …) <= 3.");
  }
  if (kind != FunctionKind::kWindow && !is_aggregate_kind(kind))
    return refused(std::string(found->name) + " with OVER");
  const bool had_aggregate = scope.has_aggregate;
  SLUICE_TRY(Item out, call(*found, arguments, scope));
  scope.has_aggregate = had_aggregate;  // With OVER it gives a value for every row.
  if (out.shape.collects()) SLUICE_CHECK(check_copies(true, out.shape));
  const std::string_view start = node.text("start");
  const std::string_view end = node.text("end");
  const std::string_view excluded = node.text("exclude_clause");
  // For each row the engine looks at its whole frame, and is not interrupted meanwhile.
  const bool has_exclusion = !excluded.empty() && excluded != "NO_OTHER";
  const bool has_frame = !node.items("orders").empty() || start != "UNBOUNDED_PRECEDING" ||
                         (end != "CURRENT_ROW_RANGE" && end != "UNBOUNDED_FOLLOWING") || has_exclusion;
  if (kind == FunctionKind::kHolistic && has_frame) {
    return refused(std::string(found->name) + " over a frame of rows")
        .with_hint("Use OVER (PARTITION BY …) without ORDER BY and without ROWS or RANGE, or GROUP BY.");
  }
  if (node.flag("distinct") && has_exclusion) {
    return refused(std::string(found->name) + "(DISTINCT …) over a frame with EXCLUDE")
        .with_hint("Leave out DISTINCT or EXCLUDE.");
  }
  node.flag("ignore_nulls");
  for (const std::string_view key :
       {"start_expr", "end_expr", "offset_expr", "default_expr", "filter_expr"}) {
    SLUICE_TRY(const Item item, optional(node.value(key), scope));
    out.include(item);
  }
  SLUICE_TRY(const Item partitions, all(node.items("partitions"), scope));
  out.cost += partitions.cost;
  for (const std::string_view key : {"orders", "arg_orders"}) {
    SLUICE_TRY(const Cost cost, orders(node.items(key), scope));
    out.cost += cost;
  }
  return out;
}

}  // namespace sluice::expression
