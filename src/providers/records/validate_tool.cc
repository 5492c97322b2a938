#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"
#include "sluice/json/object_reader.h"
#include "sluice/json/writer.h"
#include "sluice/records/name.h"
#include "sluice/records/schema_file.h"

#include "record_query.h"
#include "tools.h"

namespace sluice::records_provider {

namespace {

using engine::Field;
using engine::TypeId;
using records::SchemaFile;

constexpr std::size_t kOtherValuesListed = 5;
constexpr int kValueCharacters = 100;

Error schema_not_found(std::string_view data_type) {
  return not_found(fmt::format("Schema not found for data type: {}", excerpt(data_type)))
      .with_code("schema_not_found")
      .with_hint("list_data_types lists what there is; read_parquet works without a schema.");
}

// The names that a schema file declares: of its `schema`, or of a JSON Schema's `properties`.
std::vector<std::string> declared_names(const SchemaFile& schema) {
  const json::Object* fields = schema.fields();
  if (const json::Value* properties = schema.content.find("properties");
      fields == nullptr && properties != nullptr) {
    fields = properties->if_object();
  }
  std::vector<std::string> out;
  if (fields == nullptr) return out;
  for (const json::Member& member : *fields) out.push_back(member.key);
  return out;
}

void write_list(json::Writer& out, std::string_view key, const std::vector<std::string>& names) {
  out.key(key).begin_array();
  for (const std::string& name : names) out.string(name);
  out.end_array();
}

bool is_declared_date(const SchemaFile& schema, const Field& column) {
  const std::string type = schema.declared(column.name);
  return type == "date" || type == "datetime" || type == "timestamp" || type == "date_string";
}

// How many texts of each column that is declared a date cannot be read as one; columns without such are left
// out.
Result<json::Object> date_errors(const Subject& subject, const SchemaFile& schema,
                                 const engine::RunLimits& limits) {
  std::vector<const Field*> columns;
  std::string counts;
  for (const Field& column : subject.view.columns) {
    if (column.type.id != engine::TypeId::kText || !is_declared_date(schema, column)) continue;
    columns.push_back(&column);
    counts += fmt::format("{}count(*) FILTER (WHERE {} IS NOT NULL AND {} IS NULL)",
                          counts.empty() ? "" : ", ", engine::quote_name(column.name), timestamp_of(column));
  }
  json::Object out;
  if (columns.empty()) return out;
  const engine::Statement statement{.sql = fmt::format("SELECT {} FROM {}", counts, subject.view.relation)};
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows, subject.view.engine->query(statement, limits));
  SLUICE_TRY(const engine::Batch* batch, rows->next());
  for (std::size_t i = 0; batch != nullptr && i < columns.size(); ++i) {
    if (const std::int64_t count = batch->columns[i].at<std::int64_t>(0); count > 0)
      out.set(columns[i]->name, count);
  }
  return out;
}

// Whether a column of this type can hold what is declared. Dates may be text: stores of this layout have them
// so.
bool may_hold(const engine::Type& type, std::string_view declared) {
  const TypeId id = type.id;
  if (declared == "string" || declared == "text" || declared == "enum" || declared == "date_string")
    return id == TypeId::kText || id == TypeId::kEnum || id == TypeId::kUuid;
  if (declared == "integer" || declared == "int64") return engine::is_integer(id);
  if (declared == "float" || declared == "float64" || declared == "number") return engine::is_number(id);
  if (declared == "boolean") return id == TypeId::kBool;
  return id == TypeId::kText || engine::is_temporal(id);
}

// {column: {declared, stored}} where they do not agree. What is declared in words of its own is not compared.
json::Object type_mismatches(const records::View& view, const SchemaFile& schema) {
  json::Object out;
  for (const Field& column : view.columns) {
    const std::string declared = schema.declared(column.name);
    if (!records::sql_type_of(declared) || may_hold(column.type, declared)) continue;
    out.set(column.name, json::Object{{"declared", declared}, {"stored", engine::sql_name(column.type)}});
  }
  return out;
}

// {column: {count, values}}: records with a value that the enum of the schema does not have.
Result<json::Object> enum_errors(const records::View& view, const SchemaFile& schema,
                                 const engine::RunLimits& limits) {
  json::Object out;
  if (schema.fields() == nullptr) return out;
  for (const Field& column : view.columns) {
    const json::Array* values = records::declared_values(*schema.fields(), column.name);
    if (values == nullptr) continue;
    std::vector<std::string> known;
    for (const json::Value& value : *values) {
      const std::string* text = value.if_string();
      known.push_back(text != nullptr ? *text : json::to_text(value));
    }
    const engine::Statement statement{
        .sql = fmt::format("SELECT left(v, {1}), count(*) FROM (SELECT CAST({0} AS VARCHAR) AS v FROM {2}) "
                           "WHERE v IS NOT NULL AND v "
                           "NOT IN (SELECT unnest(CAST($1 AS VARCHAR[]))) GROUP BY ALL ORDER BY 2 DESC, 1",
                           engine::quote_name(column.name), kValueCharacters, view.relation),
        .parameters = {std::move(known)}};
    SLUICE_TRY(const std::unique_ptr<engine::Rows> rows, view.engine->query(statement, limits));
    std::int64_t count = 0;
    json::Array others;
    while (true) {
      SLUICE_TRY(const engine::Batch* batch, rows->next());
      if (batch == nullptr) break;
      for (std::size_t row = 0; row < batch->rows; ++row) {
        count += batch->columns[1].at<std::int64_t>(row);
        if (others.size() < kOtherValuesListed) others.emplace_back(std::string(batch->columns[0].text(row)));
      }
    }
    if (count > 0) out.set(column.name, json::Object{{"count", count}, {"values", std::move(others)}});
  }
  return out;
}

Status write_validation(json::Writer& out, const Subject& subject, const SchemaFile& schema,
                        const engine::RunLimits& limits) {
  const records::View& view = subject.view;
  const std::vector<std::string> declared = declared_names(schema);
  const std::set<std::string> known(declared.begin(), declared.end());
  std::vector<std::string> missing;
  std::vector<std::string> extra;
  for (const std::string& name : declared) {
    if (view.find(name) == nullptr) missing.push_back(name);
  }
  for (const Field& column : view.columns) {
    if (!known.contains(column.name)) extra.push_back(column.name);
  }
  SLUICE_TRY(const json::Object dates, date_errors(subject, schema, limits));
  SLUICE_TRY(const json::Object enums, enum_errors(view, schema, limits));
  const json::Object types = type_mismatches(view, schema);
  out.begin_object()
      .field("data_type", view.data_type)
      .field("file_path", records::file_path(view.data_type));
  out.field("version", view.version).key("issues").begin_object();
  write_list(out, "missing_columns", missing);
  write_list(out, "extra_columns", extra);
  out.field("date_parse_errors", json::Value(dates));
  if (!types.empty()) out.field("type_mismatches", types);
  if (!enums.empty()) out.field("enum_errors", enums);
  out.end_object().end_object();
  return {};
}

// Every data type that has a schema file, until the answer is full.
Result<std::string> validate_all(const RecordTools& tools, catalog::Context& context) {
  SLUICE_TRY(const std::vector<std::string> names, tools.store().data_types());
  const std::uint64_t room = std::min(tools.budget().bytes, tools.budget().tokens * 4);
  json::Writer out;
  out.begin_object().key("data_types").begin_array();
  std::vector<std::string> without_schema;
  std::vector<std::string> omitted;
  std::size_t count = 0;
  for (const std::string& name : names) {
    if (context.stop().stop_requested()) return cancelled();
    const std::optional<SchemaFile> schema = tools.declared(name);
    if (!schema) {
      without_schema.push_back(name);
    } else if (count > 0 && out.size() > room / 2) {
      omitted.push_back(name);
    } else {
      const Result<Subject> subject = tools.open(name, context);
      if (subject.ok()) {
        SLUICE_CHECK(write_validation(out, *subject, *schema, limits_of(context)));
      } else {
        out.begin_object().field("data_type", name).field("error", subject.error().message);
        out.field("code", subject.error().code).end_object();
      }
      ++count;
    }
  }
  out.end_array().field("count", count);
  write_list(out, "without_schema", without_schema);
  if (!omitted.empty()) {
    write_list(out, "omitted", omitted);
    out.field("hint", "The answer is full: validate the omitted data types one by one.");
  }
  return std::move(out.end_object()).take();
}

}  // namespace

Result<protocol::ToolResult> validate_schema(const RecordTools& tools, const json::Object& arguments,
                                             catalog::Context& context) {
  if (!arguments.contains("data_type")) {
    SLUICE_TRY(std::string all, validate_all(tools, context));
    return protocol::json_text_result(std::move(all));
  }
  SLUICE_TRY(const Subject subject, tools.open(arguments, context));
  SLUICE_TRY(const std::optional<SchemaFile> schema,
             records::read_schema_file(tools.store().root(), subject.view.data_type));
  if (!schema) return schema_not_found(subject.view.data_type);
  json::Writer out;
  SLUICE_CHECK(write_validation(out, subject, *schema, limits_of(context)));
  return protocol::json_text_result(std::move(out).take());
}

}  // namespace sluice::records_provider
