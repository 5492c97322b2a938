#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"
#include "sluice/json/object_reader.h"
#include "sluice/records/name.h"
#include "sluice/records/schema_file.h"

#include "footer.h"
#include "page.h"
#include "record_query.h"
#include "tools.h"

namespace sluice::records_provider {

namespace {

using engine::Field;
using records::SchemaFile;

constexpr std::uint64_t kEnvelopeBytes = 1'500;

Error schema_not_found(std::string_view data_type) {
  return not_found(fmt::format("Schema not found for data type: {}", excerpt(data_type)))
      .with_code("schema_not_found")
      .with_hint("list_data_types lists what there is; read_parquet works without a schema.");
}

// A member for what the program adds, under another name where the schema file uses it already.
std::string free_key(const json::Object& content, const std::string& key) {
  return content.contains(key) ? "physical_" + key : key;
}

// {name, type, nullable} of each column from `offset` on, until `bytes_max` is reached; at least one.
std::uint64_t write_columns(json::Writer& out, const std::vector<Field>& columns,
                            const std::set<std::string>& required, std::uint64_t offset,
                            std::uint64_t bytes_max) {
  std::uint64_t listed = 0;
  const std::size_t begin = out.size();
  out.begin_array();
  for (std::size_t i = offset; i < columns.size(); ++i) {
    if (listed > 0 && out.size() - begin > bytes_max) break;
    out.begin_object().field("name", columns[i].name).field("type", engine::sql_name(columns[i].type));
    out.field("nullable", !required.contains(columns[i].name)).end_object();
    ++listed;
  }
  out.end_array();
  return listed;
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

}  // namespace

Result<std::string> schema_json(const Desk& desk, std::string_view data_type, std::uint64_t offset,
                                catalog::Context& context) {
  SLUICE_CHECK(records::check_data_type(data_type));
  SLUICE_TRY(const std::optional<SchemaFile> file, records::read_schema_file(desk.store().root(), data_type));
  const Result<Subject> subject = desk.open(data_type, context);
  if (!subject.ok() && (subject.error().kind != ErrorKind::kNotFound || !file)) return subject.error();
  const json::Object content = file ? file->content : json::Object();
  json::Writer out;
  out.begin_object();
  for (const json::Member& member : content) out.field(member.key, member.value);
  if (!content.contains("data_type")) out.field("data_type", data_type);
  if (subject.ok()) {
    const records::View& view = subject->view;
    SLUICE_TRY(const std::set<std::string> required,
               required_columns(desk.store(), view, limits_of(context)));
    const std::uint64_t room = std::min(desk.budget().bytes, desk.budget().tokens * 4);
    const std::uint64_t used = out.size() + kEnvelopeBytes;
    const std::string key = free_key(content, "columns");
    out.key(key);
    const std::uint64_t listed =
        write_columns(out, view.columns, required, offset,
                      room > used ? (room - used) / 2 : kEnvelopeBytes);  // Half of it for `dtypes`.
    out.key(free_key(content, "dtypes")).begin_object();
    for (std::uint64_t i = offset; i < offset + listed; ++i)
      out.field(view.columns[i].name, engine::polars_name(view.columns[i].type));
    out.end_object().key(free_key(content, "shape")).begin_array();
    out.number(view.rows).number(static_cast<std::uint64_t>(view.columns.size())).end_array();
    if (offset + listed < view.columns.size()) {
      out.field(free_key(content, "next_offset"), offset + listed);
      out.field(free_key(content, "column_count"), view.columns.size());
    }
  }
  out.end_object();
  return std::move(out).take();
}

Result<protocol::ToolResult> get_schema(const Desk& desk, const json::Object& arguments,
                                        catalog::Context& context) {
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::string data_type, in.required_string("data_type"));
  SLUICE_TRY(const std::optional<std::int64_t> offset, in.optional_int("offset"));
  const auto first = static_cast<std::uint64_t>(std::max<std::int64_t>(0, offset.value_or(0)));
  SLUICE_TRY(std::string text, schema_json(desk, data_type, first, context));
  return protocol::json_text_result(std::move(text));
}

Result<protocol::ToolResult> validate_schema(const Desk& desk, const json::Object& arguments,
                                             catalog::Context& context) {
  SLUICE_TRY(const Subject subject, desk.open(arguments, context));
  const records::View& view = subject.view;
  SLUICE_TRY(const std::optional<SchemaFile> schema,
             records::read_schema_file(desk.store().root(), view.data_type));
  if (!schema) return schema_not_found(view.data_type);
  const std::vector<std::string> declared = declared_names(*schema);
  const std::set<std::string> known(declared.begin(), declared.end());
  std::vector<std::string> missing;
  std::vector<std::string> extra;
  for (const std::string& name : declared) {
    if (view.find(name) == nullptr) missing.push_back(name);
  }
  for (const Field& column : view.columns) {
    if (!known.contains(column.name)) extra.push_back(column.name);
  }
  SLUICE_TRY(const json::Object errors, date_errors(subject, *schema, limits_of(context)));
  json::Writer out;
  out.begin_object()
      .field("data_type", view.data_type)
      .field("file_path", records::file_path(view.data_type));
  out.field("version", view.version).key("issues").begin_object();
  write_list(out, "missing_columns", missing);
  write_list(out, "extra_columns", extra);
  out.field("date_parse_errors", json::Value(errors)).end_object().end_object();
  return protocol::json_text_result(std::move(out).take());
}

}  // namespace sluice::records_provider
