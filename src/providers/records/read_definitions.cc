#include <utility>

#include "definitions.h"
#include "schema_form.h"

namespace sluice::records_provider {

namespace {

using json::Object;

Object limit(std::string_view description) { return form::described(form::count(0), description); }
Object offset() { return form::described(form::count(0), "Rows to leave out first; see next_offset"); }
Object aggregations() {
  return form::described(
      form::typed("object"),
      "{column: function or [functions]}: sum count avg mean min max std first last. Result columns "
      "are column_function; avg is called mean.");
}

void add_catalog(std::vector<ToolDefinition>& out) {
  out.push_back(define({.name = "list_data_types",
                        .title = "List data types",
                        .description = "Lists the data types of the record store. Begin here.",
                        .properties = {},
                        .required = {},
                        .answers = {"data_types", "count"}},
                       kReads, list_data_types));
  out.push_back(
      define({.name = "get_schema",
              .title = "Schema of a data type",
              .description = "The declared schema of a data type, and its columns as they are stored: name, "
                             "type, nullable.",
              .properties = {{"data_type", form::data_type()},
                             {"offset", form::described(form::count(0), "Of the first column to list")}},
              .required = {"data_type"},
              .answers = {}},
             kReads, get_schema));
  out.push_back(define(
      {.name = "validate_schema",
       .title = "Compare records with their schema",
       .description = "Where stored columns and types differ from the declared schema, which dates cannot "
                      "be read, and which values are none of an enum.",
       .properties = {{"data_type", form::text("From list_data_types; default: all with a schema")}},
       .required = {},
       .answers = {}},
      kReads, validate_schema));
}

void add_history(std::vector<ToolDefinition>& out) {
  out.push_back(define(
      {.name = "diff_versions",
       .title = "Compare two versions",
       .description =
           "What changed in a data type between two versions: counts, and each record that was added, "
           "removed or changed with its values before and after. read_audit_log shows the versions.",
       .properties = {{"data_type", form::data_type()},
                      {"from_version", form::described(form::count(0), "State after this version")},
                      {"to_version", form::described(form::count(0), "Default: the records as they are now")},
                      {"limit", limit("Default 100")},
                      {"offset", form::described(form::count(0), "See next_offset")}},
       .required = {"data_type", "from_version"},
       .answers = {"count", "data"}},
      kReads, diff_versions));
}

void add_rows(std::vector<ToolDefinition>& out) {
  Object read_limit{
      {"type", "integer"}, {"minimum", 0}, {"maximum", 10'000}, {"description", "Default 1000"}};
  out.push_back(
      define({.name = "read_parquet",
              .title = "Read records",
              .description = "Records of a data type, filtered, sorted and paged. total_rows counts all that "
                             "match; next_offset continues.",
              .properties = {{"data_type", form::data_type()},
                             {"filters", form::filters()},
                             {"sort_by", form::sort_by()},
                             {"limit", std::move(read_limit)},
                             {"offset", offset()},
                             {"columns", form::names("Default: all")}},
              .required = {"data_type"},
              .answers = {"count", "total_rows", "offset", "limit", "has_more", "data"}},
             kReads, read_parquet));
  out.push_back(define(
      {.name = "sort_parquet",
       .title = "Sort records",
       .description = "Records in an order: by columns, by custom_order, or by the order of an enum in "
                      "the schema.",
       .properties = {{"data_type", form::data_type()},
                      {"sort_by", form::sort_by()},
                      {"filters", form::filters()},
                      {"limit", limit("Default 1000")},
                      {"offset", offset()},
                      {"columns", form::names("Default: all")}},
       .required = {"data_type", "sort_by"},
       .answers = {"count", "total_rows", "data"}},
      kReads, sort_parquet));
  out.push_back(define(
      {.name = "search_parquet",
       .title = "Search records by words",
       .description = "Records that have the words of a query, best first, with _similarity from 0 to 1: the "
                      "share of the query that is found, beginnings of words and slips included. A few "
                      "telling words find more than a sentence; best_similarity says how near nothing was.",
       .properties =
           {{"data_type", form::data_type()},
            {"query", form::text("Words to look for")},
            {"text_fields", form::names("Columns to search; default: all with text")},
            {"limit", limit("Default 10")},
            {"offset", offset()},
            {"min_similarity",
             Object{{"type", "number"}, {"minimum", 0}, {"maximum", 1}, {"description", "Default 0.7"}}},
            {"additional_filters", form::filters()}},
       .required = {"data_type", "query"},
       .answers = {"count", "query", "min_similarity", "data"}},
      kReads, search_parquet));
  Object batch{{"type", "integer"}, {"minimum", 1}, {"maximum", 1'000}};
  out.push_back(
      define({.name = "generate_embeddings",
              .title = "Prepare the search",
              .description = "Does nothing: search_parquet ranks the text itself and needs no embeddings.",
              .properties = {{"data_type", form::data_type()},
                             {"text_fields", form::names("Columns")},
                             {"force_regenerate", form::typed("boolean")},
                             {"batch_size", std::move(batch)}},
              .required = {"data_type"},
              .answers = {"success", "data_type", "embeddings_generated"}},
             kReads, generate_embeddings));
}

void add_numbers(std::vector<ToolDefinition>& out) {
  out.push_back(define(
      {.name = "get_statistics",
       .title = "Statistics of a data type",
       .description = "Counts, sums, extremes, spread, date ranges and frequent values of the columns, "
                      "without rows.",
       .properties = {{"data_type", form::data_type()},
                      {"filters", form::filters()},
                      {"columns", form::names("Default: all")},
                      {"include_distribution",
                       form::described(form::typed("boolean"), "Percentiles of numbers too")}},
       .required = {"data_type"},
       .answers = {"data_type", "row_count", "column_count"}},
      kReads, get_statistics));
  out.push_back(
      define({.name = "aggregate_parquet",
              .title = "Aggregate records",
              .description = "Sums, counts, means and extremes, by group where group_by is given. Groups "
                             "without a key are left out and counted in rows_without_key.",
              .properties = {{"data_type", form::data_type()},
                             {"aggregations", aggregations()},
                             {"group_by", form::names("Columns")},
                             {"filters", form::filters()},
                             {"sort_by", form::sort_by()},
                             {"limit", limit("Default 1000")},
                             {"offset", offset()}},
              .required = {"data_type", "aggregations"},
              .answers = {"count", "total_groups", "data"}},
             kReads, aggregate_parquet));
  out.push_back(
      define({.name = "query_with_date_range",
              .title = "Records of a time",
              .description = "Records from date_start to date_end, both inclusive (a date is its midnight), "
                             "or counts and aggregations by period.",
              .properties = {{"data_type", form::data_type()},
                             {"date_column", form::text("A date, a timestamp, or text in ISO 8601")},
                             {"date_start", form::text("ISO 8601")},
                             {"date_end", form::text("ISO 8601")},
                             {"filters", form::filters()},
                             {"group_by_period", form::one_of({"day", "week", "month", "quarter", "year"})},
                             {"aggregations", aggregations()},
                             {"sort_by", form::sort_by()},
                             {"limit", limit("Default 1000")},
                             {"offset", offset()}},
              .required = {"data_type", "date_column"},
              .answers = {"count", "total_rows", "data"}},
             kReads, query_with_date_range));
}

void add_export(std::vector<ToolDefinition>& out) {
  constexpr protocol::ToolAnnotations kExports{
      .read_only = false, .destructive = true, .idempotent = true, .open_world = false};
  out.push_back(define(
      {.name = "export_data_type",
       .title = "Export records to a file",
       .description =
           "Writes records, filtered and sorted, to a CSV, TSV, JSON, NDJSON or Parquet file in the folder "
           "for exports.",
       .properties = {{"data_type", form::data_type()},
                      {"file", form::text("Relative path, such as january/tasks.csv")},
                      {"format", form::one_of({"csv", "tsv", "json", "ndjson", "parquet"})},
                      {"filters", form::filters()},
                      {"sort_by", form::sort_by()},
                      {"columns", form::names("Default: all")},
                      {"overwrite", form::described(form::typed("boolean"), "Default false")},
                      {"dry_run",
                       form::described(form::typed("boolean"), "Count the rows, and write nothing")}},
       .required = {"data_type", "file"},
       .answers = {"success", "rows"}},
      kExports, export_data_type));
}

}  // namespace

void add_read_definitions(std::vector<ToolDefinition>& out, const Offer& offer) {
  add_catalog(out);
  add_history(out);
  add_rows(out);
  add_numbers(out);
  if (offer.has_exchange) add_export(out);
}

}  // namespace sluice::records_provider
