#include "plot/plot_tool.h"

#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/json/object_reader.h"
#include "sluice/plot/draw.h"
#include "sluice/query/statement.h"

#include "answer/filter_token.h"
#include "lean/statement.h"
#include "plot/plot_marks.h"
#include "plot/plot_sql.h"
#include "tools/tools.h"
#include "tools/work_check.h"

namespace sluice::datasets::plotting {

namespace {

// The rows that a picture is drawn from.
struct PlotSource {
  Subject subject;
  expression::Question question;
};

Error one_source() {
  return invalid_input("plot needs exactly one of `sql`, `result_handle` and `dataset`")
      .with_code("invalid_arguments")
      .with_hint("Pass the text of a SELECT as `sql`.");
}

Result<PlotSource> statement_source(const DatasetTools& tools, const lean::Statement& statement,
                                    const catalog::Context& context) {
  SLUICE_TRY(lean::CheckedStatement checked, lean::check_statement(tools, statement, context));
  return PlotSource{.subject = std::move(checked.subject), .question = std::move(checked.question)};
}

Result<PlotSource> open_source(const DatasetTools& tools, const json::Object& arguments,
                               catalog::Context& context) {
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::optional<std::string> sql, in.optional_string("sql"));
  SLUICE_TRY(const std::optional<std::string> handle, in.optional_string("result_handle"));
  SLUICE_TRY(const std::optional<std::string> dataset, in.optional_string("dataset"));
  if ((sql ? 1 : 0) + (handle ? 1 : 0) + (dataset ? 1 : 0) != 1) return one_source();
  if (sql) return statement_source(tools, {.sql = *sql}, context);
  if (handle) {
    const std::map<std::string, std::string, std::less<>> results = {{"result", *handle}};
    return statement_source(tools, {.sql = "SELECT * FROM result", .results = &results}, context);
  }
  PlotSource out;
  SLUICE_TRY(out.subject, tools.open(arguments, context));
  json::Object filters{{"dataset", *dataset}};
  if (const json::Value* given = arguments.find("filters"); given != nullptr) filters.set("filters", *given);
  SLUICE_TRY(const query::QueryArguments read, read_question(tools, filters, context));
  SLUICE_TRY(out.question, query::compile(read, *out.subject.table, out.subject.dataset->collection(),
                                          tools.guard_of(context)));
  return out;
}

// A picture is not worth what would have to be asked about first.
protocol::ToolResult too_much_work() {
  return protocol::text_result(
      "# needs_confirmation: these rows take long to compute. Run the statement with `query`, confirm: true "
      "and a "
      "name, then plot that result.\n");
}

struct PlotRun {
  std::optional<PlottedChart> plotted;  // Nothing: it is too much work.
  PlotColumns columns;
};

Result<PlotRun> run_plot(const DatasetTools& tools, const PlotRequest& request, const PlotSource& source,
                         const json::Object& arguments, catalog::Context& context) {
  const Subject& subject = source.subject;
  SLUICE_TRY(const WorkCheck work, check_work(tools, subject, source.question, arguments, context));
  if (work.instead) return PlotRun{};
  engine::RunLimits limits = limits_of(context);
  if (!work.allows_transfer) limits.transfer_bytes_max = tools.services().limits.confirm_transfer;
  SLUICE_TRY(const query::Relation relation, subject.dataset->open(*subject.table, limits, &source.question));
  const auto around = [&](std::string_view outer) {
    return query::statement_around(outer, source.question, *subject.table, relation);
  };
  SLUICE_TRY(const engine::Description answer,
             subject.engine->describe(around("SELECT * FROM answer"), limits));
  PlotRun out;
  SLUICE_TRY(out.columns, choose_columns(request, answer.columns));
  auto rows = subject.engine->query(around(marks_sql(request, out.columns)), limits);
  if (!rows.ok() && rows.error().code == engine::kTransferLimit) return PlotRun{};
  if (!rows.ok()) return std::move(rows).error();
  Result<PlottedChart> plotted = read_marks(**rows, request, out.columns);
  if (!plotted.ok() && plotted.error().code == engine::kTransferLimit) return PlotRun{};
  if (!plotted.ok()) return std::move(plotted).error();
  plotted->chart.y.unit = plotted->chart.kind == plot::Kind::kHeatmap || request.fold == Fold::kCount
                              ? ""
                              : subject.dataset->collection().unit;
  out.plotted = *std::move(plotted);
  return out;
}

json::Object understood(const PlotRequest& request, const PlotRun& run) {
  const plot::Chart& chart = run.plotted->chart;
  json::Object out{{"kind", to_string(chart.kind)}, {"x", run.columns.x.name}};
  if (run.columns.y) out.set("y", run.columns.y->name);
  if (run.columns.series) out.set("series", run.columns.series->name);
  if (run.columns.value) out.set("series", run.columns.value->name);
  out.set("title", chart.title);
  out.set("fn", to_string(request.fold));
  out.set("rows", run.plotted->facts.rows);
  out.set("marks", chart.marks.size());
  return out;
}

// The PNG within the bytes that an answer may have, smaller if need be; what to say about it goes to `text`.
std::optional<protocol::Content> png_content(const plot::DisplayList& list, std::uint64_t bytes_max,
                                             std::string& text) {
  constexpr double kSmaller = 0.7;
  constexpr double kSmallest = 0.1;
  double scale = 1;
  for (; scale > kSmallest; scale *= kSmaller) {
    Result<plot::Png> png = plot::to_png(list, scale);
    if (!png.ok()) {
      log::warning("plot.png", {{"code", png.error().code}, {"error", png.error().message}});
      text += fmt::format("# {}: {} {}\n", png.error().code, png.error().message, png.error().hint);
      return std::nullopt;
    }
    if (png->bytes.size() > bytes_max) continue;
    if (scale < 1)
      text += fmt::format("# drawn at {:.0f} % of its size, to fit {} bytes\n", scale * 100, bytes_max);
    if (png->unknown_characters > 0)
      text += fmt::format("# {} characters have no font and are drawn as boxes\n", png->unknown_characters);
    return protocol::Content{
        .body = protocol::ImageContent{.bytes = std::move(png->bytes), .mime_type = "image/png"}};
  }
  text += fmt::format("# the picture does not fit {} bytes\n", bytes_max);
  return std::nullopt;
}

protocol::Content svg_content(const plot::DisplayList& list) {
  protocol::ResourceContents contents;
  contents.uri = "plot:///plot.svg";
  contents.mime_type = "image/svg+xml";
  contents.body = protocol::TextBody{plot::to_svg(list)};
  return {.body = protocol::EmbeddedResource{.contents = std::move(contents)}};
}

}  // namespace

Result<protocol::ToolResult> draw_plot(const DatasetTools& tools, const json::Object& arguments,
                                       catalog::Context& context) {
  SLUICE_TRY(const PlotRequest request, read_plot_request(arguments));
  SLUICE_TRY(const PlotSource source, open_source(tools, arguments, context));
  SLUICE_TRY(PlotRun run, run_plot(tools, request, source, arguments, context));
  if (!run.plotted) return too_much_work();
  if (run.plotted->facts.rows == 0) return protocol::text_result("# 0 rows; nothing to draw\n");
  std::string text = plot_text(*run.plotted);
  plot::Chart& chart = run.plotted->chart;
  chart.description = text.substr(0, text.find('\n'));
  std::optional<protocol::Content> picture;
  if (request.picture != Picture::kNone) {
    const plot::DisplayList list = plot::draw(chart);
    picture = request.picture == Picture::kSvg ? svg_content(list)
                                               : png_content(list, tools.services().limits.plot_bytes, text);
  }
  protocol::ToolResult out = protocol::text_result(std::move(text));
  if (picture) out.content.push_back(*std::move(picture));
  out.meta.set("sluice/plot", understood(request, run));
  return out;
}

}  // namespace sluice::datasets::plotting
