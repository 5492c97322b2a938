#include "sluice/json/schema_words.h"

#include "plot/plot_request.h"
#include "plot/plot_tool.h"

namespace sluice::datasets::plotting {

namespace {

using json::Array;
using json::Object;
using json::schema::count;
using json::schema::described;
using json::schema::flag;
using json::schema::list_of;
using json::schema::one_of;
using json::schema::text;
using json::schema::typed;

ToolDefinition definition_of(std::string description, Object properties, std::vector<std::string> required) {
  ToolDefinition out = define({.name = "plot",
                               .title = {},
                               .description = std::move(description),
                               .properties = std::move(properties),
                               .required = std::move(required),
                               .output_required = {},
                               .function = draw_plot});
  // Structured content would hide the picture and its numbers from models in several hosts.
  out.tool.title.reset();
  out.tool.output_schema = {};
  return out;
}

Object common_properties() {
  return {{"sql", typed("string")},
          {"kind", one_of({"bar", "line", "area", "point", "histogram", "heatmap"})},
          {"x", typed("string")},
          {"y", typed("string")},
          {"series", typed("string")},
          {"title", typed("string")},
          {"format", one_of({"png", "svg", "none"})}};
}

Object bounded_count(std::int64_t least, std::int64_t most, std::string_view description) {
  Object out = count(least);
  out.set("maximum", most);
  return described(std::move(out), description);
}

}  // namespace

ToolDefinition short_definition() {
  return definition_of("Draws the rows of one SELECT. Columns are x, y, series unless named.",
                       common_properties(), {"sql"});
}

ToolDefinition full_definition() {
  Object properties = common_properties();
  properties.set("sql", text("A SELECT; or give result_handle or dataset"));
  properties.set("result_handle", typed("string"));
  properties.set("dataset", text("Name or URI, with `filters` as in query_data"));
  properties.set("filters", list_of(typed("object")));
  properties.set("fn",
                 described(one_of({"none", "sum", "avg", "min", "max", "median", "count", "count_distinct"}),
                           "For rows with the same x and series"));
  properties.set("top_n", bounded_count(1, kBarsMax, "Bars; the rest is one bar, if it adds up"));
  properties.set("bins", bounded_count(1, kBinsMax, "Of a histogram"));
  properties.set("stacked", flag());
  const Object range{{"type", "array"}, {"items", typed("number")}, {"minItems", 2}, {"maxItems", 2}};
  properties.set("x_range", range);
  properties.set("y_range", range);
  properties.set("x_scale", one_of({"linear", "log"}));
  properties.set("y_scale", one_of({"linear", "log"}));
  properties.set("width", described(typed("integer"), "320 to 1568 pixels; default 800"));
  properties.set("height", described(typed("integer"), "200 to 1568 pixels; default 450"));
  properties.set("theme", one_of({"light", "dark"}));
  return definition_of("Draws rows as a picture. Columns are x, y, series unless named.",
                       std::move(properties), {});
}

}  // namespace sluice::datasets::plotting
