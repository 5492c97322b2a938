#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/json/object_reader.h"
#include "sluice/records/view_plan.h"

#include "record_query.h"
#include "tools.h"

namespace sluice::records_provider {

namespace {

using engine::Field;
using engine::quote_name;
using engine::TypeId;

constexpr std::uint64_t kUsualMatches = 10;
constexpr double kUsualSimilarity = 0.7;
constexpr std::size_t kQueryBytesMax = 4'096;
constexpr std::int64_t kUsualBatch = 100;
constexpr std::string_view kSimilarity = "_similarity";

// The columns that are searched: those named, else all with text in them.
Result<std::vector<const Field*>> searched(const json::ObjectReader& in, const records::View& view) {
  SLUICE_TRY(const std::vector<std::string> names, in.optional_strings("text_fields"));
  SLUICE_TRY(std::vector<const Field*> out, named_columns(view, names));
  for (const Field& column : view.columns) {
    const TypeId id = column.type.id;
    const bool has_text = id == TypeId::kText || id == TypeId::kEnum || engine::is_nested(id);
    if (names.empty() && has_text) out.push_back(&column);
  }
  return out;
}

std::string joined_text(const std::vector<const Field*>& columns) {
  std::string out;
  for (const Field* column : columns) {
    const std::string name = quote_name(column->name);
    const bool nested = engine::is_nested(column->type.id);
    out += ", " + (nested ? fmt::format("CAST(to_json({}) AS VARCHAR)", name)
                          : fmt::format("CAST({} AS VARCHAR)", name));
  }
  return out.empty() ? "''" : fmt::format("concat_ws(' '{})", out);
}

struct Search {
  std::string query;
  double min_similarity = kUsualSimilarity;
};

Result<Search> search_of(const json::ObjectReader& in) {
  Search out;
  SLUICE_TRY(out.query, in.required_string("query"));
  SLUICE_TRY(const std::optional<double> least, in.optional_number("min_similarity"));
  if (out.query.size() > kQueryBytesMax) {
    return limit_reached("bytes of a query", kQueryBytesMax)
        .with_code("too_many_values")
        .with_hint("Use fewer words.");
  }
  out.min_similarity = least.value_or(kUsualSimilarity);
  return out;
}

// The records that the filters keep, with how well each answers the query in their last column.
Result<records::View> ranked(const records::View& view, const Search& search, const json::ObjectReader& in,
                             const plan::Guard& guard) {
  SLUICE_TRY(const std::vector<const Field*> fields, searched(in, view));
  SLUICE_TRY(const plan::Condition condition, condition_of(in.object(), "additional_filters", view));
  SLUICE_TRY(records::View out, records::filtered_view(view, condition, guard));
  out.parameters.emplace_back(search.query);
  // A column that is called so itself gives way.
  const std::string_view all = view.find(kSimilarity) == nullptr ? "*" : "* EXCLUDE (\"_similarity\")";
  out.relation =
      fmt::format("(SELECT {}, round(search_score(${}, {}), 6) AS {} FROM {}) AS records", all,
                  out.parameters.size(), joined_text(fields), quote_name(kSimilarity), out.relation);
  std::erase_if(out.columns, [](const Field& column) { return column.name == kSimilarity; });
  out.columns.push_back({.name = std::string(kSimilarity), .type = {.id = TypeId::kDouble}});
  return out;
}

// Those that reach the similarity that is asked for, the best first.
Result<RowsQuery> matches(const records::View& ranked, double min_similarity, const plan::Guard& guard) {
  const std::size_t similarity = ranked.columns.size() - 1;
  plan::Condition reaches{
      .kind = plan::Condition::Kind::kCompare, .column = similarity, .sign = plan::Sign::kGte};
  const std::string least = fmt::format("{}", min_similarity);
  reaches.constants.push_back(
      {.given = json::Number{least}, .operand = {.place = plan::Operand::Place::kEqual, .text = least}});
  RowsQuery out{.view = ranked, .matching = {}, .rows = {}, .guard = guard};
  SLUICE_TRY(out.matching, plan::filter(records::scan_of(ranked), std::move(reaches)));
  SLUICE_TRY(out.rows, plan::sort(out.matching, {{.column = similarity, .descending = true}}, true));
  return out;
}

// The best score that any record has; nothing where there is no record to score.
Result<std::optional<double>> best_score(const records::View& ranked, const engine::RunLimits& limits) {
  const engine::Statement statement{
      .sql = fmt::format("SELECT max({}) FROM {}", quote_name(kSimilarity), ranked.relation),
      .parameters = ranked.parameters};
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows, ranked.engine->query(statement, limits));
  SLUICE_TRY(const engine::Batch* batch, rows->next());
  if (batch == nullptr || batch->columns.front().is_null(0)) return std::optional<double>();
  return std::optional<double>(batch->columns.front().at<double>(0));
}

// What a caller who found nothing can do.
void write_advice(json::Writer& out, const std::optional<double>& best) {
  out.key("best_similarity");
  best ? out.number(*best) : out.null();
  if (!best) {
    out.field("hint",
              "No record was compared: check additional_filters, or whether the data type has records.");
  } else if (*best > 0) {
    out.field("hint",
              fmt::format("No record reached min_similarity; the best has {0}. Use fewer and rarer words, "
                          "or min_similarity {0} or less.",
                          *best));
  } else {
    out.field(
        "hint",
        "No record has a word of the query. Try other words, or read_parquet with $contains or $fuzzy.");
  }
}

}  // namespace

Result<protocol::ToolResult> search_parquet(const RecordTools& tools, const json::Object& arguments,
                                            catalog::Context& context) {
  SLUICE_TRY(const Subject subject, tools.open(arguments, context));
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const Search search, search_of(in));
  SLUICE_TRY(const PageRequest request, page_request(arguments, kUsualMatches));
  SLUICE_TRY(const records::View scored, ranked(subject.view, search, in, tools.guard_of(context)));
  SLUICE_TRY(const RowsQuery query, matches(scored, search.min_similarity, tools.guard_of(context)));
  SLUICE_TRY(const Page page, read_page(query, request, tools.budget(), limits_of(context)));
  json::Writer out;
  out.begin_object().field("count", page.size).field("query", search.query);
  out.field("min_similarity", search.min_similarity).field("total_rows", page.total);
  write_page_notes(out, page);
  if (page.total == 0) {
    SLUICE_TRY(const std::optional<double> best, best_score(scored, limits_of(context)));
    write_advice(out, best);
  }
  out.field("version", subject.view.version).raw_field("data", page.rows).end_object();
  return protocol::json_text_result(std::move(out).take());
}

Result<protocol::ToolResult> generate_embeddings(const RecordTools& tools, const json::Object& arguments,
                                                 catalog::Context& context) {
  SLUICE_TRY(const Subject subject, tools.open(arguments, context));
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::vector<const Field*> fields, searched(in, subject.view));
  SLUICE_TRY(const std::optional<std::int64_t> batch, in.optional_int("batch_size"));
  json::Writer out;
  out.begin_object().field("success", true).field("data_type", subject.view.data_type);
  out.key("text_fields").begin_array();
  for (const Field* field : fields) out.string(field->name);
  out.end_array().field("total_records", subject.view.rows).field("batch_size", batch.value_or(kUsualBatch));
  out.field("batches_processed", 0).field("embeddings_generated", 0).field("embeddings_reused", 0);
  out.key("embeddings_file").null();
  out.field("message",
            "Nothing was generated: search_parquet ranks the text itself and needs no embeddings.");
  out.end_object();
  return protocol::json_text_result(std::move(out).take());
}

}  // namespace sluice::records_provider
