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
#include "tools.h"

namespace sluice::records_provider {

namespace {

using engine::Field;
using records::SchemaFile;

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

}  // namespace

Result<std::string> schema_json(const RecordTools& tools, std::string_view data_type, std::uint64_t offset,
                                catalog::Context& context, std::uint64_t* next_offset) {
  SLUICE_CHECK(records::check_data_type(data_type));
  SLUICE_TRY(const std::optional<SchemaFile> file,
             records::read_schema_file(tools.store().root(), data_type));
  const Result<Subject> subject = tools.open(data_type, context);
  if (!subject.ok() && (subject.error().kind != ErrorKind::kNotFound || !file)) return subject.error();
  const json::Object content = file ? file->content : json::Object();
  json::Writer out;
  out.begin_object();
  for (const json::Member& member : content) out.field(member.key, member.value);
  if (!content.contains("data_type")) out.field("data_type", data_type);
  if (subject.ok()) {
    const records::View& view = subject->view;
    SLUICE_TRY(const std::set<std::string> required,
               required_columns(tools.store(), view, limits_of(context)));
    const std::uint64_t room = std::min(tools.budget().bytes, tools.budget().tokens * 4);
    const std::uint64_t used = out.size() + kEnvelopeBytes;
    const std::string key = free_key(content, "columns");
    out.key(key);
    const std::uint64_t listed =
        write_columns(out, view.columns, required, offset,
                      room > used ? (room - used) / 2 : kEnvelopeBytes);  // Half of it for `dtypes`.
    out.key(free_key(content, "dtypes")).begin_object();
    for (std::uint64_t i = offset; i < offset + listed; ++i)  // None where the offset is behind the last.
      out.field(view.columns[i].name, engine::polars_name(view.columns[i].type));
    out.end_object().key(free_key(content, "shape")).begin_array();
    out.number(view.rows).number(static_cast<std::uint64_t>(view.columns.size())).end_array();
    if (offset + listed < view.columns.size()) {
      if (next_offset != nullptr) *next_offset = offset + listed;
      out.field(free_key(content, "next_offset"), offset + listed);
      out.field(free_key(content, "column_count"), view.columns.size());
    }
  }
  out.end_object();
  return std::move(out).take();
}

Result<protocol::ToolResult> get_schema(const RecordTools& tools, const json::Object& arguments,
                                        catalog::Context& context) {
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::string data_type, in.required_string("data_type"));
  SLUICE_TRY(const std::optional<std::int64_t> offset, in.optional_int("offset"));
  const auto first = static_cast<std::uint64_t>(std::max<std::int64_t>(0, offset.value_or(0)));
  SLUICE_TRY(std::string text, schema_json(tools, data_type, first, context));
  return protocol::json_text_result(std::move(text));
}

}  // namespace sluice::records_provider
