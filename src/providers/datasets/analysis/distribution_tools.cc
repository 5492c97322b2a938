#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/object_reader.h"
#include "sluice/query/rows_reader.h"
#include "sluice/query/statement.h"
#include "sluice/render/feed.h"

#include "analysis/analysis_tools.h"
#include "analysis/findings.h"
#include "answer/result_json.h"
#include "answer/summaries.h"

namespace sluice::datasets::analysis {

namespace {

constexpr std::int64_t kTopN = 20;
constexpr std::int64_t kTopMax = 200;

double number_of(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The preferred dataset of the place that the call names.
Result<Subject> subject_of(const DatasetTools& tools, const Series& series, const json::Object& arguments,
                           const catalog::Context& context) {
  const json::Value* value = arguments.find(series.entity().series);
  const std::string place = value == nullptr ? std::string() : Series::place_text(*value);
  const std::vector<query::DatasetPtr> datasets = series.at(place);
  if (!datasets.empty()) return tools.open(datasets.front(), context);
  return not_found(fmt::format("no dataset of {} {}", series.entity().series, excerpt(place)))
      .with_code("dataset_not_found")
      .with_hint(fmt::format("There are: {}.", fmt::join(series.places(), ", ")));
}

Result<std::vector<query::TextRow>> sums_by(const Subject& subject, std::vector<std::string> group_by,
                                            std::uint64_t limit, const catalog::Context& context) {
  const query::Collection& collection = subject.dataset->collection();
  const std::string column = role_column(collection, subject.table->columns, collection.entity.measure);
  if (column.empty()) {
    return not_found(fmt::format("the dataset has no column with the role {}", collection.entity.measure))
        .with_code("invalid_column")
        .with_hint("get_schema lists the roles of a dataset.");
  }
  const query::Aggregate sum{.column = column, .fn = query::AggregateFn::kSum};
  const query::QueryArguments query_arguments{
      .grouped = true,
      .group_by = std::move(group_by),
      .aggregates = {sum},
      .order_by = {{.column = query::output_name(sum), .descending = true}},
      .limit = limit};
  SLUICE_TRY(const expression::Question question,
             query::compile(query_arguments, *subject.table, collection, subject.guard));
  SLUICE_TRY(const query::Relation relation,
             subject.dataset->open(*subject.table, limits_of(context), &question));
  return query::read_rows(*subject.engine,
                          query::statement_of(question, *subject.table, relation, question.limit),
                          limits_of(context), limit);
}

double percentage(double part, double whole) { return whole > 0 ? std::round(part / whole * 1000) / 10 : 0; }

// `programs` of `programs-summary`: what a view is called in calls, and in URIs.
Result<const query::Summary*> view_of(const query::Collection& collection, const json::ObjectReader& in) {
  SLUICE_TRY(const std::string type, in.required_string("view_type"));
  std::string known;
  for (const query::Summary& summary : collection.summaries) {
    if (summary.group_by.empty()) continue;
    const std::string view = summary.name.substr(0, summary.name.rfind("-summary"));
    if (view == type) return &summary;
    (known += known.empty() ? "" : ", ") += view;
  }
  return invalid_input(fmt::format("unsupported view_type: {}", excerpt(type)))
      .with_code("invalid_arguments")
      .with_hint("Known: " + known + ".");
}

struct View {
  std::string rows;  // JSON, or CSV.
  std::uint64_t size = 0;
  query::SnapshotPtr all;  // Where they did not fit.
};

Result<View> read_view(const DatasetTools& tools, const Subject& subject,
                       const expression::Question& question, query::Format format,
                       const catalog::Context& context) {
  SLUICE_TRY(const query::Relation relation,
             subject.dataset->open(*subject.table, limits_of(context), &question));
  const engine::Statement select = query::statement_of(question, *subject.table, relation, question.limit);
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows, subject.engine->query(select, limits_of(context)));
  const Budget budget{.bytes = answer_room(tools), .tokens = answer_room(tools)};
  View out;
  bool complete = true;
  const auto write = [&](auto writer) -> Status {
    SLUICE_TRY(complete, render::feed(*rows, writer));
    out.size = writer.meter().rows();
    out.rows = std::move(writer).take();
    return {};
  };
  if (format == query::Format::kCsv) {
    SLUICE_CHECK(write(render::CsvRows(rows->columns(), {.budget = budget})));
  } else {
    SLUICE_CHECK(write(render::JsonRows(rows->columns(), {.budget = budget})));
  }
  if (complete) return out;
  SLUICE_TRY(out.all, tools.services().spool->write(*subject.engine,
                                                    {.select = select,
                                                     .columns = rows->columns(),
                                                     .scheme = subject.dataset->collection().scheme,
                                                     .owner = context.principal()},
                                                    limits_of(context)));
  return out;
}

Result<query::Format> view_format(const json::ObjectReader& in) {
  SLUICE_TRY(const std::optional<std::string> name, in.optional_string("output_format"));
  if (!name || *name == "json") return query::Format::kJson;
  if (*name == "csv") return query::Format::kCsv;
  return unsupported("unsupported format: " + excerpt(*name))
      .with_code("unsupported_format")
      .with_hint("Formats: json, csv.");
}

}  // namespace

Result<protocol::ToolResult> get_budget_distribution(const DatasetTools& tools, const json::Object& arguments,
                                                     catalog::Context& context) {
  SLUICE_TRY(const Series series, Series::find(tools, arguments));
  SLUICE_TRY(const Subject subject, subject_of(tools, series, arguments, context));
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::optional<std::string> group, in.optional_string("groupby"));
  SLUICE_TRY(const std::optional<std::int64_t> top, in.optional_int("top_n"));
  const auto most = static_cast<std::uint64_t>(std::clamp<std::int64_t>(top.value_or(kTopN), 1, kTopMax));
  SLUICE_TRY(const std::vector<query::TextRow> groups,
             sums_by(subject, {group.value_or(series.entity().group)}, most, context));
  SLUICE_TRY(const std::vector<query::TextRow> whole, sums_by(subject, {}, 1, context));
  const double total = whole.empty() ? 0 : number_of(whole.front().front());
  std::vector<std::string> items;
  std::vector<double> sums;
  for (const query::TextRow& row : groups) {
    sums.push_back(number_of(row[1]));
    json::Writer item;
    item.begin_object().field("name", excerpt(row[0], kGroupNameBytes)).field("value", sums.back());
    items.push_back(std::move(item.field("percentage", percentage(sums.back(), total)).end_object()).take());
  }
  json::Writer list;
  const std::size_t listed = Shares(answer_room(tools), 1).write(list, items);
  double other = total;
  for (std::size_t i = 0; i < listed; ++i) other -= sums[i];
  json::Writer out;
  out.begin_object();
  write_identity(out, *subject.dataset);
  if (!series.collection().unit.empty()) out.field("unit", series.collection().unit);
  out.field("total_budget", total).field("chart_type", "pie");
  out.key("other")
      .begin_object()
      .field("value", other)
      .field("percentage", percentage(other, total))
      .end_object();
  return protocol::json_text_result(
      std::move(out.raw_field("pie_chart_data", list.text()).end_object()).take());
}

Result<protocol::ToolResult> get_budget_visualization_data(const DatasetTools& tools,
                                                           const json::Object& arguments,
                                                           catalog::Context& context) {
  SLUICE_TRY(const Series series, Series::find(tools, arguments));
  SLUICE_TRY(const Subject subject, subject_of(tools, series, arguments, context));
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const query::Summary* summary, view_of(series.collection(), in));
  SLUICE_TRY(const query::Format format, view_format(in));
  SLUICE_TRY(const expression::Question question, summary_question(subject, *summary));
  SLUICE_TRY(const View view, read_view(tools, subject, question, format, context));
  SLUICE_TRY(const std::vector<query::TextRow> whole, sums_by(subject, {}, 1, context));
  json::Writer out;
  out.begin_object();
  write_identity(out, *subject.dataset);
  if (!series.collection().unit.empty()) out.field("unit", series.collection().unit);
  if (!whole.empty()) out.field("total_budget", number_of(whole.front().front()));
  if (view.all) {
    write_handle(out, tools, *view.all);
    write_warnings(out, {fmt::format("The first {} of {} rows; query_next_page reads all of them.", view.size,
                                     view.all->rows)});
  } else {
    out.field("row_count", view.size);
  }
  if (format == query::Format::kCsv) {
    out.field("csv_content", view.rows);
  } else {
    out.raw_field("data", view.rows);
  }
  return protocol::json_text_result(std::move(out.end_object()).take());
}

}  // namespace sluice::datasets::analysis
