#include "tools/definitions.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sluice/datasets/question_tool.h"
#include "sluice/json/schema_words.h"

#include "answer/dimension_values.h"

namespace sluice::datasets {

namespace {

using json::Array;
using json::Object;
using json::schema::count;
using json::schema::described;
using json::schema::flag;
using json::schema::fraction;
using json::schema::list_of;
using json::schema::names;
using json::schema::one_of;
using json::schema::text;
using json::schema::typed;

// What an argument for a dimension says of itself: what the dimension means, and which values there are.
std::string description_of(const query::Inventory& inventory, const query::Dimension& dimension) {
  const std::string values = dimension_values(inventory, dimension);
  if (values.empty()) return dimension.description;
  if (dimension.description.empty()) return values;
  std::string_view words = dimension.description;
  if (words.ends_with('.')) words.remove_suffix(1);
  return fmt::format("{}: {}", words, values);
}

// The dimensions of all collections, described with their values; a name that two of them use is offered
// once.
std::vector<query::Dimension> dimensions_of(const query::Inventory& inventory) {
  std::vector<query::Dimension> out;
  for (const auto& collection : inventory.collections()) {
    for (const query::Dimension& dimension : collection->dimensions) {
      const auto same = [&](const query::Dimension& other) { return other.name == dimension.name; };
      if (std::any_of(out.begin(), out.end(), same)) continue;
      out.push_back(dimension);
      out.back().description = description_of(inventory, dimension);
    }
  }
  return out;
}

// Builds the definitions of one server, whose collections decide how a dataset is addressed.
class Definitions {
 public:
  Definitions(const query::Inventory& inventory, const Limits& limits)
      : dimensions_(dimensions_of(inventory)), limits_(limits) {}

  std::vector<ToolDefinition> build() {
    add_catalog_tools();
    add_explore_tools();
    add_query_tools();
    std::sort(out_.begin(), out_.end(),
              [](const ToolDefinition& a, const ToolDefinition& b) { return a.tool.name < b.tool.name; });
    return std::move(out_);
  }

  Object rows_question_alone() const {
    Object out = rows_question();
    out.erase("dataset");
    // There is no pattern_filter for what is in no catalog.
    Object plain_filters = filters();
    plain_filters.set("description", kFilterWords);
    out.set("filters", std::move(plain_filters));
    return out;
  }

 private:
  static constexpr std::string_view kFilterWords =
      "All must hold. range: {min,max}; in: a list; contains minds case; regex: RE2; normalized_contains "
      "ignores "
      "case, accents and punctuation.";

  void add(std::string name, std::string title, std::string description, Object properties,
           std::vector<std::string> required, Array output_required, ToolFunction function) {
    out_.push_back(define({.name = std::move(name),
                           .title = std::move(title),
                           .description = std::move(description),
                           .properties = std::move(properties),
                           .required = std::move(required),
                           .output_required = std::move(output_required),
                           .function = function}));
  }

  // `dataset`, and every dimension.
  Object address() const {
    Object out{{"dataset",
                dimensions_.empty() ? text("Name or URI, from get_catalog") : text("Name or URI; or give:")}};
    for (const query::Dimension& dimension : dimensions_) {
      out.set(dimension.name, argument_of(dimension));
    }
    return out;
  }
  static Object argument_of(const query::Dimension& dimension) {
    Object out = typed(dimension.is_integer ? "integer" : "string");
    return dimension.description.empty() ? out : described(std::move(out), dimension.description);
  }
  static Object list_argument_of(const query::Dimension& dimension) {
    Object out = list_of(typed(dimension.is_integer ? "integer" : "string"));
    return dimension.description.empty() ? out : described(std::move(out), dimension.description);
  }
  std::vector<std::string> address_required(std::vector<std::string> others) const {
    if (dimensions_.empty()) others.insert(others.begin(), "dataset");
    return others;
  }

  static Object filters() {
    return described(
        list_of(
            {{"type", "object"},
             {"properties",
              Object{{"col", typed("string")},
                     {"op", text("eq neq gt gte lt lte in contains regex range normalized_contains is_null")},
                     {"value", Object{}},
                     {"signature", typed("string")}}},
             {"required", Array{"col", "op"}},
             {"additionalProperties", false}}),
        std::string(kFilterWords) + " A filter_token of pattern_filter goes here too.");
  }
  static Object aggs() {
    return {{"type", Array{"array", "object"}},
            {"items", Object{{"type", "object"},
                             {"properties", Object{{"col", typed("string")}, {"fn", typed("string")}}},
                             {"additionalProperties", false}}},
            {"description",
             "[{col,fn}] or {col:fn}; fn: sum avg min max median count count_distinct. Result columns are "
             "col_fn, or col_fn_2 if a group has that name; {fn:count} alone counts rows."}};
  }
  static Object order() {
    return described(list_of({{"type", Array{"object", "string"}},
                              {"properties", Object{{"col", typed("string")}, {"desc", flag()}}},
                              {"additionalProperties", false}}),
                     "Nulls come last");
  }
  void add_size(Object& out) const {
    out.set("max_rows", count(1));
    out.set("max_bytes", count(1));
    out.set("max_cells", count(1));
    out.set("max_tokens", described(count(1), fmt::format("Default {}", limits_.usual.tokens)));
    out.set("shape", described(one_of({"records", "columns"}), "columns needs a third fewer tokens"));
    out.set("output_format",
            described(typed("string"), "json (default), csv or parquet; the last two give one file"));
    out.set("format", described(typed("string"), "Alias of output_format"));
    out.set("confirm", described(flag(), "Proceed although the answer is huge"));
  }
  Object question() const {
    Object out = address();
    out.set("columns", described(names(), "Default: all"));
    out.set("filters", filters());
    out.set("group_by", names());
    out.set("aggs", aggs());
    out.set("distinct", flag());
    return out;
  }

  Object rows_question() const {
    Object out = question();
    add_rows(out);
    return out;
  }
  // What rows come, in which order, and how they are given.
  void add_rows(Object& out) const {
    out.set("order_by", order());
    out.set("limit", count(0));
    out.set("offset", count(0));
    out.set("deduplicate",
            Object{{"type", Array{"boolean", "array"}},
                   {"items", typed("string")},
                   {"description", "true, or the columns by which only the first row is kept"}});
    out.set("null_policy",
            described(one_of({"keep", "drop"}), "drop: no rows with a null in a selected column"));
    out.set("confirm_lossy",
            described(flag(), "Ask before deduplicate drops rows, and before over 1000 groups"));
    add_size(out);
  }

  void add_catalog_tools() {
    Object lists;
    for (const query::Dimension& dimension : dimensions_) {
      lists.set(dimension.name + "s", list_argument_of(dimension));
    }
    lists.set("match", text("Part of the name"));
    lists.set("limit", count(1));
    lists.set("offset", count(0));
    add("get_catalog", "List datasets", "Lists the datasets with rows, bytes and last change. Begin here.",
        std::move(lists), {}, {"total", "datasets"}, get_catalog);
    Object schema = address();
    schema.set("offset", described(count(0), "Of the first column to list"));
    add("get_schema", "Schema of a dataset",
        "Columns, types, the roles of columns, unit, shape and a few sample rows of one dataset.",
        std::move(schema), address_required({}), {"columns", "dtypes", "roles", "shape", "sample_rows"},
        get_schema);
    add("get_dataset_overall", "Published totals",
        "The totals that were published with the datasets, to check sums against.", address(), {},
        {"overalls", "count"}, get_dataset_overall);
    add("get_server_info", "About this server", "Version, limits and collections of this server.", {}, {},
        {"name", "version"}, get_server_info);
  }

  void add_explore_tools() {
    Object distinct = address();
    distinct.set("column", typed("string"));
    distinct.set("limit", described(count(1), "Default 100"));
    distinct.set("min_count", count(1));
    distinct.set("filters", filters());
    add("distinct_values", "Distinct values of a column",
        "The values of one column with how often each occurs, most frequent first. Use it to build exact "
        "filters.",
        std::move(distinct), address_required({"column"}), {"values"}, distinct_values);
    Object pattern = address();
    pattern.set("field", text("A text column"));
    pattern.set("patterns", described(names(), "Words or phrases"));
    pattern.set(
        "mode",
        described(
            one_of({"strict", "balanced", "permissive", "whole_word", "normalized", "contains"}),
            "strict: the same word; balanced (default): and its inflected forms; permissive: any part"));
    pattern.set("exclude", described(names(), "Words or values to leave out"));
    pattern.set("confirm_threshold",
                described(fraction(), "balanced asks about less certain matches; default 0.8"));
    pattern.set("confirm", Object{{"type", "object"},
                                  {"properties", Object{{"include", names()}, {"exclude", names()}}},
                                  {"description", "Your choice among the candidates of needs_confirmation"}});
    add("pattern_filter", "Find values by words",
        "Which values of a text column mean a word, in any of its forms, case and accents. Gives a "
        "filter_token for "
        "`filters`, or candidates to confirm.",
        std::move(pattern), address_required({"field", "patterns"}), {"status"}, pattern_filter);
    Object describe = address();
    describe.set("columns", names());
    add("describe_dataset", "Statistics of a dataset",
        "Statistics before rows: count, nulls, distinct values, min, max, mean and the most frequent values "
        "of "
        "each column.",
        std::move(describe), address_required({}), {"columns"}, describe_dataset);
  }

  void add_query_tools() {
    Object estimate = rows_question();
    estimate.set("legacy_file_path", flag());
    add("estimate_query", "Measure a question",
        "How many rows, bytes and tokens query_data would answer with, how that is known, and five preview "
        "rows.",
        std::move(estimate), address_required({}), {"row_estimate", "byte_estimate", "preview"},
        estimate_query);
    Object query = rows_question();
    query.set("legacy_file_path", flag());
    add("query_data", "Query rows",
        "Rows of one dataset: filter, select, group, sort. Small answers come directly; larger ones as a "
        "handle for "
        "query_next_page. Without order_by rows come in file order.",
        std::move(query), address_required({}), {}, query_data);
    Object group = address();
    group.set("group_by", described(names(), "Empty gives totals"));
    group.set("aggs", aggs());
    group.set("filters", filters());
    group.set("top_n", described(count(1), "The largest by the first aggregate"));
    group.set("order_by", order());
    group.set("limit", count(0));
    group.set("confirm_lossy", described(flag(), "Ask before over 1000 groups"));
    add_size(group);
    add("aggregate", "Grouped totals", "Totals by group: the cheapest way to most answers.", std::move(group),
        address_required({"aggs"}), {}, aggregate);
    Object bulk{{"datasets", described(names(), dimensions_.empty() ? "Names or URIs; default: all"
                                                                    : "Names or URIs; or give:")}};
    for (const query::Dimension& dimension : dimensions_) {
      bulk.set(dimension.name + "s", list_argument_of(dimension));
    }
    bulk.set("columns", names());
    bulk.set("filters", filters());
    bulk.set("group_by", names());
    bulk.set("aggs", aggs());
    bulk.set("distinct", flag());
    add_rows(bulk);
    add("bulk_filter_multiple_datasets", "Query several datasets",
        "Rows of several datasets together, with a column `dataset` and one for each dimension; what one "
        "lacks is "
        "null. For comparisons, group by dataset.",
        std::move(bulk), {}, {}, bulk_filter);
    Object advanced = address();
    advanced.set("polars_expr",
                 text("A chain such as filter(pl.col(\"a\") > 1).group_by(\"b\").agg(pl.col(\"c\").sum())"
                      ".sort(\"c\", descending=True).head(10)"));
    advanced.set("sql", text("One SELECT over the table `data`"));
    add_size(advanced);
    add("advanced_query", "Query by expression",
        "For what query_data and aggregate cannot say: a chain of Polars methods, or one SELECT over `data`.",
        std::move(advanced), address_required({}), {}, advanced_query);
    Object next{{"result_handle", typed("string")},
                {"page_token", text("From the last answer; without it, from the first row")},
                {"format", described(typed("string"), "json, csv or parquet")},
                {"shape", one_of({"records", "columns"})},
                {"max_rows", count(1)},
                {"max_tokens", count(1)}};
    add("query_next_page", "Next page of a handle", "Reads on in a result that was kept as a handle.",
        std::move(next), {"result_handle"}, {"method", "page_info"}, query_next_page);
  }

  std::vector<query::Dimension> dimensions_;
  Limits limits_;
  std::vector<ToolDefinition> out_;
};

}  // namespace

ToolDefinition define(ToolWords words) {
  Array needed;
  for (std::string& one : words.required) needed.emplace_back(std::move(one));
  Object input{
      {"type", "object"}, {"properties", std::move(words.properties)}, {"additionalProperties", false}};
  if (!needed.empty()) input.set("required", std::move(needed));
  ToolDefinition out{.tool = {}, .function = words.function};
  out.tool.name = std::move(words.name);
  out.tool.title = std::move(words.title);
  out.tool.description = std::move(words.description);
  out.tool.input_schema = std::move(input);
  out.tool.output_schema = Object{{"type", "object"}, {"required", std::move(words.output_required)}};
  out.tool.annotations = protocol::ToolAnnotations{
      .read_only = true, .destructive = false, .idempotent = true, .open_world = false};
  return out;
}

Object question_properties(const Limits& limits) {
  return Definitions(query::Inventory(), limits).rows_question_alone();
}

std::vector<ToolDefinition> tool_definitions(const query::Inventory& inventory, const Limits& limits) {
  return Definitions(inventory, limits).build();
}

}  // namespace sluice::datasets
