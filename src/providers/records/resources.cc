#include "resources.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/base/uri_path.h"
#include "sluice/engine/sql.h"
#include "sluice/json/writer.h"
#include "sluice/records/name.h"
#include "sluice/text/letter_case.h"

#include "files.h"
#include "page.h"
#include "tools.h"

namespace sluice::records_provider {

namespace {

constexpr std::string_view kScheme = "parquet";
constexpr std::string_view kBase = "parquet://";
constexpr std::string_view kJson = "application/json";
constexpr std::uint64_t kBrowsedRows = 100;

protocol::Resource resource(std::string uri, std::string name, std::string description) {
  protocol::Resource out;
  out.uri = std::move(uri);
  out.name = std::move(name);
  out.description = std::move(description);
  out.mime_type = std::string(kJson);
  return out;
}

protocol::ReadResult json_contents(const ResourceUri& uri, std::string text) {
  protocol::ReadResult result;
  protocol::ResourceContents contents;
  contents.uri = uri.text();
  contents.mime_type = std::string(kJson);
  contents.body = protocol::TextBody{.text = std::move(text)};
  result.contents.push_back(std::move(contents));
  return result;
}

// The parts between slashes, without empty ones, as they stand in the URI.
std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> out;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    if (slash != 0) out.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  return out;
}

// The first rows of a view, all columns.
Result<Page> browse(const Desk& desk, const records::View& view, const catalog::Context& context) {
  RowsQuery query{.relation = view.relation};
  SLUICE_TRY(query.select, select_list(view.columns, {}));
  if (!view.is_ordered) query.order = engine::quote_name(records::kRowColumn);
  const PageRequest request{.limit = kBrowsedRows, .limit_is_explicit = true, .known_total = view.rows};
  return read_page(*view.engine, query, request, desk.budget(), limits_of(context));
}

void write_browsed(json::Writer& out, const Page& page, std::string_view note) {
  out.raw_field("data", page.rows)
      .field("total_rows", page.total)
      .field("returned", page.size)
      .field("note", note);
  if (!page.schema.empty()) {
    out.key("schema").begin_object().field("numbers_as_text", json::Value(page.schema)).end_object();
  }
}

Result<std::string> collection_json(const Desk& desk, std::string_view data_type,
                                    const catalog::Context& context) {
  SLUICE_TRY(const Subject subject, desk.open(data_type, context));
  SLUICE_TRY(const Page page, browse(desk, subject.view, context));
  json::Writer out;
  out.begin_object().field("type", "data_type_collection").field("data_type", data_type);
  write_browsed(out, page, "Limited to 100 rows. Use read_parquet tool for full dataset or pagination.");
  out.end_object();
  return std::move(out).take();
}

// A data type's own file is shown with the records that are not in it yet.
Result<records::View> view_of_file(const Desk& desk, const std::string& path,
                                   const catalog::Context& context) {
  const std::string folder = path.substr(0, path.find('/'));
  if (path == records::file_path(folder) && records::check_data_type(folder).ok()) {
    SLUICE_TRY(Subject subject, desk.open(folder, context));
    return std::move(subject.view);
  }
  return open_file(desk.store(), path, limits_of(context));
}

Result<std::string> file_json(const Desk& desk, const std::string& path, const catalog::Context& context) {
  SLUICE_TRY(const records::View view, view_of_file(desk, path, context));
  SLUICE_TRY(const Page page, browse(desk, view, context));
  json::Writer out;
  out.begin_object().field("type", "file").field("filename", path);
  write_browsed(out, page, "Limited to 100 rows. Use read_parquet tool for the whole data type.");
  out.end_object();
  return std::move(out).take();
}

Result<std::string> data_types_json(const Desk& desk, const catalog::Context& context) {
  SLUICE_TRY(const std::vector<std::string> names, desk.store().data_types());
  json::Writer out;
  out.begin_object().field("type", "data_types_list").key("data_types").begin_array();
  for (const std::string& name : names) out.string(name);
  out.end_array().field("count", names.size()).key("details").begin_array();
  for (const std::string& name : names) {
    if (context.stop().stop_requested()) return cancelled();
    if (out.size() > desk.budget().bytes) break;
    const Result<Subject> subject = desk.open(name, context);
    const Result<fs::Entry> file = desk.store().root().stat(records::file_path(name));
    out.begin_object().field("data_type", name).key("row_count");
    subject.ok() ? out.number(subject->view.rows) : out.null();
    out.key("file_size_bytes");
    file.ok() ? out.number(file->bytes) : out.null();
    if (!subject.ok()) out.field("error", subject.error().message).field("code", subject.error().code);
    out.end_object();
  }
  out.end_array().end_object();
  return std::move(out).take();
}

Result<std::string> schema_resource_json(const Desk& desk, const std::string& data_type,
                                         catalog::Context& context) {
  SLUICE_TRY(const std::string schema, schema_json(desk, data_type, 0, context));
  json::Writer out;
  out.begin_object()
      .field("type", "schema")
      .field("data_type", data_type)
      .raw_field("schema", schema)
      .end_object();
  return std::move(out).take();
}

Result<std::string> resource_json(const Desk& desk, const ResourceUri& uri, catalog::Context& context) {
  const std::string_view text = uri.text();
  const std::vector<std::string_view> segments = segments_of(text.substr(kBase.size()));
  if (segments.empty()) return catalog::resource_not_found(text);
  const std::string_view kind = segments.front();
  if (kind == "files" && segments.size() >= 2) {
    std::string joined;
    for (std::size_t i = 1; i < segments.size(); ++i) (joined += i == 1 ? "" : "/") += segments[i];
    SLUICE_TRY(const std::string path, decode_path(joined));
    return file_json(desk, path, context);
  }
  if (kind == "data_types" && segments.size() == 1) return data_types_json(desk, context);
  if (segments.size() != 2 || (kind != "data_types" && kind != "schemas"))
    return catalog::resource_not_found(text);
  SLUICE_TRY(const std::string data_type, percent_decode(segments[1]));
  SLUICE_CHECK(records::check_data_type(data_type));
  return kind == "schemas" ? schema_resource_json(desk, data_type, context)
                           : collection_json(desk, data_type, context);
}

bool begins_with(const std::string& value, std::string_view typed) {
  return to_lower_ascii(value).starts_with(to_lower_ascii(typed));
}

}  // namespace

std::string collection_uri(std::string_view data_type) {
  return fmt::format("parquet://data_types/{}", percent_encode(data_type));
}
std::string schema_uri(std::string_view data_type) {
  return fmt::format("parquet://schemas/{}", percent_encode(data_type));
}
std::string file_uri(std::string_view path) {
  return fmt::format("parquet://files/{}", percent_encode_path(path));
}

Result<std::vector<protocol::Resource>> list_resources(const Desk& desk, const catalog::ListQuery& query) {
  SLUICE_TRY(const std::vector<std::string> names, desk.store().data_types());
  SLUICE_TRY(const std::vector<std::string> files, list_files(desk.store()));
  std::vector<protocol::Resource> all;
  const auto add = [&](protocol::Resource one) {
    if (one.uri > query.after) all.push_back(std::move(one));
  };
  add(resource(std::string(kDataTypesUri), "Data Types", "List all available data types"));
  for (const std::string& name : names) {
    const std::string title = text::capitalize(name);
    add(resource(collection_uri(name), title + " Data", fmt::format("All {} rows from parquet file", name)));
    add(resource(schema_uri(name), title + " Schema",
                 fmt::format("Schema information for {} data type", name)));
  }
  for (const std::string& path : files) {
    const std::string shown = encode_controls(path);
    add(resource(file_uri(path), shown, fmt::format("Rows of the file {}", shown)));
  }
  const std::size_t wanted = std::min(query.limit, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(wanted), all.end(),
                    [](const auto& a, const auto& b) { return a.uri < b.uri; });
  all.resize(wanted);
  return all;
}

std::vector<protocol::ResourceTemplate> list_templates(const catalog::ListQuery& query) {
  struct Text {
    std::string_view uri_template;
    std::string_view name;
    std::string_view description;
  };
  constexpr std::array kAll = {
      // By their text.
      Text{"parquet://data_types/{data_type}", "Data type", "The first 100 rows of a data type"},
      Text{"parquet://files/{+path}", "Parquet file", "The first 100 rows of a file"},
      Text{"parquet://schemas/{data_type}", "Schema", "Declared and stored columns of a data type"}};
  std::vector<protocol::ResourceTemplate> out;
  for (const Text& one : kAll) {
    if (one.uri_template <= query.after || out.size() == query.limit) continue;
    protocol::ResourceTemplate made;
    made.uri_template = std::string(one.uri_template);
    made.name = std::string(one.name);
    made.description = std::string(one.description);
    made.mime_type = std::string(kJson);
    out.push_back(std::move(made));
  }
  return out;
}

bool owns_resource(const ResourceUri& uri) { return uri.text().starts_with(kBase); }

Result<protocol::ReadResult> read_resource(const Desk& desk, const ResourceUri& uri,
                                           catalog::Context& context) {
  SLUICE_TRY(std::string text, resource_json(desk, uri, context));
  return json_contents(uri, std::move(text));
}

Result<protocol::Completion> complete(const Desk& desk, const protocol::CompletionRequest& request) {
  protocol::Completion out;
  std::vector<std::string> values;
  if (request.argument == "data_type") {
    SLUICE_TRY(values, desk.store().data_types());
  } else if (request.argument == "path") {
    SLUICE_TRY(values, list_files(desk.store()));
  }
  std::uint64_t total = 0;
  for (std::string& value : values) {
    if (!begins_with(value, request.typed)) continue;
    if (++total <= kCompletionValuesMax) out.values.push_back(std::move(value));
  }
  out.total = total;
  return out;
}

}  // namespace sluice::records_provider
