#include <algorithm>
#include <string>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"

#include "sql_tree_check.h"

namespace sluice::expression {

namespace {

constexpr std::uint64_t kMacroCopies = 3;
constexpr std::uint64_t kDateFormatFactor = 16;  // "%c" becomes a date and a time.

Result<const std::string*> constant_argument(const json::Array& arguments, std::size_t index,
                                             std::string_view function) {
  const std::string* text = index < arguments.size() ? constant_text(arguments[index]) : nullptr;
  if (text == nullptr) {
    return refused(std::string(function) + " with a pattern or replacement that is not plain text");
  }
  return text;
}

// A pattern that is matched by trying out what each wildcard stands for.
Status check_wildcards(const std::string& pattern, std::string_view wildcards) {
  const auto count = std::count_if(pattern.begin(), pattern.end(), [wildcards](char character) {
    return wildcards.find(character) != std::string_view::npos;
  });
  if (static_cast<std::size_t>(count) <= kSqlWildcardsMax) return {};
  return refused("a pattern with so many wildcards: " + pattern)
      .with_hint("Use regexp_matches, or LIKE without '_' on lower(…).");
}

Status check_pattern(const SqlFunction& function, const json::Array& arguments) {
  SLUICE_TRY(const std::string* pattern, constant_argument(arguments, 1, function.name));
  if (function.kind == FunctionKind::kRegex) return {};
  if (function.name == "~~~") return check_wildcards(*pattern, "*?[");
  if (function.kind == FunctionKind::kLike && pattern->find('_') == std::string::npos) return {};
  return check_wildcards(*pattern, "%");
}

Result<std::uint64_t> replace_factor(const json::Array& arguments) {
  SLUICE_TRY(const std::string* from, constant_argument(arguments, 1, "replace"));
  SLUICE_TRY(const std::string* to, constant_argument(arguments, 2, "replace"));
  if (from->empty()) return 1;
  return std::max<std::uint64_t>(1, (to->size() + from->size() - 1) / from->size());
}

// A pattern can match the empty text before every character; "\0" in the replacement repeats what matched.
Result<std::uint64_t> regex_replace_factor(const json::Array& arguments) {
  SLUICE_CHECK(constant_argument(arguments, 1, "regexp_replace"));
  SLUICE_TRY(const std::string* to, constant_argument(arguments, 2, "regexp_replace"));
  if (arguments.size() > 3) SLUICE_CHECK(constant_argument(arguments, 3, "regexp_replace"));
  return 1 + to->size();
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
    const std::string nearest = nearest_function(name);
    return refused("the function " + name)
        .with_hint(
            (nearest.empty() ? std::string() : "Did you mean " + nearest + "? ") +
            "Functions that read files, settings or the clock, make lists, or make text larger than their "
            "input are not offered.");
  }
  if (arguments < found->arguments_min || arguments > found->arguments_max) {
    return refused(name + " with " + std::to_string(arguments) + " arguments");
  }
  return found;
}

Result<SqlTreeCheck::Item> SqlTreeCheck::call(const SqlFunction& function, const json::Array& arguments,
                                              Scope& scope) {
  Item out;
  Growth first;
  Growth sum;
  for (const json::Value& argument : arguments) {
    const json::Value* alias = argument.find("alias");
    if (alias != nullptr && alias->is_string() && !alias->if_string()->empty()) {
      return refused("a named argument: " + *alias->if_string());
    }
    SLUICE_TRY(const Item item, expression(&argument, scope));
    out.cost += item.cost;
    out.growth = out.growth.larger(item.growth);
    if (&argument == &arguments.front()) first = item.growth;
    sum = sum + item.growth;
  }
  switch (function.kind) {
    case FunctionKind::kScalar:
    case FunctionKind::kWindow:
      return out;
    case FunctionKind::kMacro:
      out.cost = out.cost.times(kMacroCopies);
      return out;
    case FunctionKind::kAggregate:
      scope.has_aggregate = true;
      return out;
    case FunctionKind::kHolistic:
      scope.has_aggregate = true;
      has_holistic_ = true;
      out.cost.kept_values = add_capped(out.cost.kept_values, 1);
      return out;
    case FunctionKind::kLike:
    case FunctionKind::kWildcard:
    case FunctionKind::kRegex:
      SLUICE_CHECK(check_pattern(function, arguments));
      return out;
    case FunctionKind::kConcat:
      out.growth = sum;
      if (function.name == "concat_ws") out.growth = sum + first.times(arguments.size());
      break;
    case FunctionKind::kReplace: {
      SLUICE_TRY(const std::uint64_t factor, replace_factor(arguments));
      out.growth = out.growth.times(factor);
      break;
    }
    case FunctionKind::kRegexReplace: {
      SLUICE_TRY(const std::uint64_t factor, regex_replace_factor(arguments));
      out.growth = out.growth.times(factor);
      break;
    }
    case FunctionKind::kDateFormat: {
      // Either argument may be the format: strftime('%Y', day).
      const std::string* format = constant_text(arguments[1]);
      if (format == nullptr) SLUICE_CHECK(constant_argument(arguments, 0, function.name));
      out.growth = (format == nullptr ? sum : Growth{.bytes = format->size()}).times(kDateFormatFactor);
      break;
    }
  }
  out.cost.grown = out.cost.grown + out.growth;
  return out;
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
  if (kind != FunctionKind::kWindow && kind != FunctionKind::kAggregate && kind != FunctionKind::kHolistic) {
    return refused(std::string(found->name) + " with OVER");
  }
  const bool had_aggregate = scope.has_aggregate;
  SLUICE_TRY(Item out, call(*found, arguments, scope));
  scope.has_aggregate = had_aggregate;  // With OVER it gives a value for every row.
  const std::string_view start = node.text("start");
  const std::string_view end = node.text("end");
  const std::string_view excluded = node.text("exclude_clause");
  // For each row the engine looks at its whole frame, and is not interrupted meanwhile.
  const bool has_frame = !node.items("orders").empty() || start != "UNBOUNDED_PRECEDING" ||
                         (end != "CURRENT_ROW_RANGE" && end != "UNBOUNDED_FOLLOWING") ||
                         (!excluded.empty() && excluded != "NO_OTHER");
  if (kind == FunctionKind::kHolistic && has_frame) {
    return refused(std::string(found->name) + " over a frame of rows")
        .with_hint("Use OVER (PARTITION BY …) without ORDER BY and without ROWS or RANGE, or GROUP BY.");
  }
  for (const std::string_view key : {"ignore_nulls", "distinct"}) node.flag(key);
  for (const std::string_view key :
       {"start_expr", "end_expr", "offset_expr", "default_expr", "filter_expr"}) {
    SLUICE_TRY(const Item item, optional(node.value(key), scope));
    out.cost += item.cost;
    out.growth = out.growth.larger(item.growth);
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
