#include "sluice/json/schema_words.h"

#include "lean/lean_tools.h"

namespace sluice::datasets::lean {

namespace {

using json::Array;
using json::Object;
using json::schema::count;
using json::schema::described;
using json::schema::flag;
using json::schema::names;
using json::schema::one_of;
using json::schema::text;
using json::schema::typed;

// Rows in `structuredContent` would be paid for twice by some hosts and hide the text in others.
ToolDefinition in_text(ToolWords words) {
  ToolDefinition out = define(std::move(words));
  out.tool.title.reset();
  out.tool.output_schema = {};
  return out;
}

Object one_or_many(std::string_view description, std::int64_t most) {
  return {{"anyOf",
           Array{typed("string"),
                 Object{{"type", "array"}, {"items", typed("string")}, {"minItems", 1}, {"maxItems", most}}}},
          {"description", description}};
}

}  // namespace

std::vector<ToolDefinition> tool_definitions(ArrowFiles arrow) {
  std::vector<ToolDefinition> out;
  out.push_back(in_text({.name = "catalog",
                         .title = {},
                         .description = "Lists the tables with rows and columns.",
                         .properties = {{"match", text("Words to search for")}, {"max_tokens", count(1)}},
                         .required = {},
                         .output_required = {},
                         .function = list_tables}));
  out.push_back(in_text({.name = "describe",
                         .title = {},
                         .description = "Values, ranges and pitfalls of the columns of tables.",
                         .properties = {{"datasets", described(names(), "Names or globs")},
                                        {"columns", names()},
                                        {"max_tokens", count(1)}},
                         .required = {"datasets"},
                         .output_required = {},
                         .function = describe_tables}));
  out.push_back(in_text(
      {.name = "query",
       .title = {},
       .description = "Runs SELECT statements (DuckDB SQL) over the tables and over earlier results.",
       .properties = {{"sql", one_or_many("One statement, or up to 16", 16)},
                      {"name", text("Keeps the result as a table of this name")},
                      {"max_rows", count(1)},
                      {"max_tokens", count(1)},
                      {"format", arrow == ArrowFiles::kOffered ? one_of({"csv", "json", "parquet", "arrow"})
                                                               : one_of({"csv", "json", "parquet"})},
                      {"exact", flag()},
                      {"confirm", flag()},
                      {"explain", flag()}},
       .required = {"sql"},
       .output_required = {},
       .function = run_sql}));
  return out;
}

}  // namespace sluice::datasets::lean
