#include "rest/openapi.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "sluice/base/version.h"
#include "sluice/json/schema_words.h"

#include "http/attachment.h"

namespace sluice::exports {

namespace {

using json::Array;
using json::Object;
using json::Value;

// What an answer of a tool may hold, and who confirms it, are matters of MCP.
constexpr std::array<std::string_view, 12> kOfToolsOnly = {
    "confirm", "confirm_lossy", "max_rows",         "max_cells", "max_bytes", "max_tokens",
    "format",  "output_format", "legacy_file_path", "shape",     "exact",     "explain"};

constexpr std::string_view kFormatWords =
    "What the rows are written as; the header Accept decides where it is absent";

Object formats() {
  Array names;
  for (const FileFormat format : kFileFormats) names.emplace_back(name_of(format));
  return json::schema::described({{"enum", std::move(names)}}, kFormatWords);
}

Object byte_order_mark() {
  return json::schema::described(json::schema::flag(), "Begins CSV with a byte order mark, for spreadsheets");
}

Object properties_of(const protocol::Tool& tool) {
  const Value* properties = tool.input_schema.find("properties");
  Object out =
      properties != nullptr && properties->if_object() != nullptr ? *properties->if_object() : Object();
  for (const std::string_view name : kOfToolsOnly) out.erase(name);
  return out;
}

Object parameter(std::string_view name, Object schema, bool is_required = false) {
  Object out{{"name", name}, {"in", "query"}};
  if (is_required) out.set("required", true);
  if (const Value* words = schema.find("description"); words != nullptr) out.set("description", *words);
  schema.erase("description");
  out.set("schema", std::move(schema));
  return out;
}

Object json_content(Value schema) { return {{"application/json", Object{{"schema", std::move(schema)}}}}; }

Object with_problems(Object success) {
  Object out{{"200", std::move(success)}};
  for (const std::string_view status :
       {"400", "401", "403", "404", "405", "406", "408", "409", "413", "415", "429", "500", "503", "504"})
    out.set(std::string(status), Object{{"$ref", "#/components/responses/Problem"}});
  return out;
}

Object rows_response() {
  Object content;
  for (const FileFormat format : kFileFormats) {
    const std::string_view type = format == FileFormat::kArrow ? "application/vnd.apache.arrow.stream"
                                  : format == FileFormat::kCsv ? "text/csv"
                                                               : media_type_of(format);
    content.set(std::string(type),
                format == FileFormat::kJson
                    ? Object{{"schema", Object{{"type", "array"}, {"items", Object{{"type", "object"}}}}}}
                    : Object());
  }
  return {{"description", "All rows, in the format that was asked for"}, {"content", std::move(content)}};
}

Object datasets_path(const datasets::ReaderTools& tools) {
  Object properties = properties_of(tools.list);
  Array parameters;
  for (const std::string_view name : {"match", "limit"}) {
    const Value* schema = properties.find(name);
    parameters.emplace_back(
        parameter(name, schema != nullptr ? *schema->if_object() : json::schema::typed("string")));
  }
  parameters.emplace_back(parameter("cursor", json::schema::text("`next_cursor` of the page before")));
  const Object page{{"type", "object"},
                    {"properties", Object{{"total", json::schema::count(0)},
                                          {"datasets", json::schema::list_of(json::schema::typed("object"))},
                                          {"next_cursor", json::schema::typed("string")}}},
                    {"required", Array{"total", "datasets"}}};
  return {{"get", Object{{"operationId", "listDatasets"},
                         {"summary", "Lists the datasets"},
                         {"parameters", std::move(parameters)},
                         {"responses", with_problems({{"description", "A page of datasets"},
                                                      {"content", json_content(page)}})}}}};
}

Object schema_path(const datasets::ReaderTools& tools) {
  return {{"get",
           Object{{"operationId", "getSchema"},
                  {"summary", "Gives the columns of a dataset, with their types and some rows"},
                  {"parameters",
                   Array{parameter("dataset", json::schema::text("Name or URI of a dataset"), true),
                         parameter("offset", json::schema::described(json::schema::count(0),
                                                                     "Of the first column to list"))}},
                  {"responses", with_problems({{"description", "The schema"},
                                               {"content", json_content(tools.schema.output_schema.value_or(
                                                               Value(json::schema::typed("object"))))}})}}}};
}

Object query_path() {
  const auto body = [](std::string_view name) {
    return Object{{"$ref", "#/components/schemas/" + std::string(name)}};
  };
  return {
      {"get",
       Object{{"operationId", "queryByUrl"},
              {"summary", "Runs one SELECT, for programs that can only GET"},
              {"parameters", Array{parameter("sql", json::schema::text("One SELECT statement"), true),
                                   parameter("format", formats()), parameter("bom", byte_order_mark())}},
              {"responses", with_problems(rows_response())}}},
      {"post", Object{{"operationId", "query"},
                      {"summary", "Runs one SELECT, or a question to one dataset"},
                      {"requestBody",
                       Object{{"required", true},
                              {"content",
                               json_content(Object{{"oneOf", Array{body("Statement"), body("Question")}}})}}},
                      {"responses", with_problems(rows_response())}}}};
}

Object simple_path(std::string_view id, std::string_view summary, Object schema) {
  return {{"get", Object{{"operationId", id},
                         {"summary", summary},
                         {"responses", with_problems({{"description", summary},
                                                      {"content", json_content(std::move(schema))}})}}}};
}

Object problem_schema() {
  return {{"type", "object"},
          {"properties", Object{{"title", json::schema::typed("string")},
                                {"status", json::schema::typed("integer")},
                                {"code", json::schema::text("What was wrong, for programs")},
                                {"detail", json::schema::text("What was wrong, for people")},
                                {"hint", json::schema::text("What to do about it")}}},
          {"required", Array{"title", "status", "code", "detail"}},
          {"additionalProperties", false}};
}

Object components(const datasets::ReaderTools& tools, const RestOptions& options) {
  Object problem{{"description", "What went wrong"},
                 {"content", Object{{"application/problem+json",
                                     Object{{"schema", Object{{"$ref", "#/components/schemas/Problem"}}}}}}}};
  Object schemes{{"bearer", Object{{"type", "http"}, {"scheme", "bearer"}}}};
  if (options.basic) schemes.set("basic", Object{{"type", "http"}, {"scheme", "basic"}});
  return {{"schemas", Object{{"Problem", problem_schema()},
                             {"Statement", sql_body_schema(tools)},
                             {"Question", question_body_schema(tools)}}},
          {"responses", Object{{"Problem", std::move(problem)}}},
          {"securitySchemes", std::move(schemes)}};
}

}  // namespace

Object sql_body_schema(const datasets::ReaderTools& /*tools*/) {
  return {{"type", "object"},
          {"properties", Object{{"sql", json::schema::text("One SELECT statement (DuckDB SQL)")},
                                {"format", formats()},
                                {"bom", byte_order_mark()}}},
          {"required", Array{"sql"}},
          {"additionalProperties", false}};
}

Object question_body_schema(const datasets::ReaderTools& tools) {
  Object properties = properties_of(tools.query);
  properties.set("format", formats());
  properties.set("bom", byte_order_mark());
  return {{"type", "object"},
          {"description", "The arguments of query_data. Values of dimensions may stand for `dataset`."},
          {"properties", std::move(properties)},
          {"not", Object{{"required", Array{"sql"}}}},
          {"additionalProperties", Object{{"type", Array{"string", "integer"}}}}};
}

Object openapi_document(const datasets::ReaderTools& tools, const RestOptions& options) {
  Array security{Object{{"bearer", Array()}}};
  if (options.basic) security.emplace_back(Object{{"basic", Array()}});
  Object document_path = simple_path("getOpenApi", "This document", {{"type", "object"}});
  document_path.find("get")->if_object()->set("security", Array());
  return {{"openapi", "3.1.0"},
          {"info", Object{{"title", "Sluice"}, {"version", product_version()}}},
          {"servers", Array{Object{{"url", options.public_url + options.path}}}},
          {"security", std::move(security)},
          {"paths",
           Object{{"/datasets", datasets_path(tools)},
                  {"/schema", schema_path(tools)},
                  {"/query", query_path()},
                  {"/me", simple_path("getCaller", "Who is calling",
                                      {{"type", "object"},
                                       {"properties", Object{{"principal", json::schema::typed("string")}}},
                                       {"required", Array{"principal"}}})},
                  {"/openapi.json", std::move(document_path)}}},
          {"components", components(tools, options)}};
}

}  // namespace sluice::exports
