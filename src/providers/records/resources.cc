#include "resources.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/base/uri_path.h"
#include "sluice/contents/uri_query.h"
#include "sluice/engine/sql.h"
#include "sluice/json/writer.h"
#include "sluice/records/name.h"
#include "sluice/records/view_plan.h"
#include "sluice/text/letter_case.h"

#include "files.h"
#include "record_query.h"
#include "tools.h"

namespace sluice::records_provider {

namespace {

constexpr std::string_view kScheme = "parquet";
constexpr std::string_view kBase = "parquet://";
constexpr std::string_view kJson = "application/json";
constexpr std::uint64_t kBrowsedRows = 100;
constexpr std::uint64_t kBrowsedRowsMax = 1'000;
constexpr std::uint64_t kOffsetMax = std::uint64_t{1} << 53U;  // More rows than any file has.

protocol::Resource resource(std::string uri, std::string name, std::string description) {
  protocol::Resource out;
  out.uri = std::move(uri);
  out.name = std::move(name);
  out.description = std::move(description);
  out.mime_type = std::string(kJson);
  return out;
}

// The text of a resource, and the URI that reads on behind it; "" where nothing follows.
struct Rendered {
  std::string text;
  std::string next;
};

protocol::ReadResult json_contents(const ResourceUri& uri, Rendered rendered) {
  protocol::ReadResult result;
  protocol::ResourceContents contents;
  contents.uri = uri.text();
  contents.mime_type = std::string(kJson);
  if (!rendered.next.empty()) contents.meta.set("sluice/next", rendered.next);
  contents.body = protocol::TextBody{.text = std::move(rendered.text)};
  result.contents.push_back(std::move(contents));
  return result;
}

// Which rows a URI asks for.
struct Window {
  std::uint64_t offset = 0;
  std::uint64_t limit = kBrowsedRows;
  bool is_given = false;
};

// `?offset=&limit=`; nothing where it is anything else.
std::optional<Window> window_of(std::string_view query) {
  constexpr std::array<std::string_view, 2> kKnown = {"limit", "offset"};
  Window out;
  if (query.empty()) return out;
  const std::optional<contents::UriQuery> parsed = contents::UriQuery::parse(query, kKnown);
  if (!parsed) return std::nullopt;
  for (const std::string_view name : kKnown) {
    if (parsed->has(name) && !parsed->number(name)) return std::nullopt;
  }
  out.is_given = true;
  out.offset = parsed->number("offset").value_or(0);
  out.limit = std::min(parsed->number("limit").value_or(kBrowsedRows), kBrowsedRowsMax);
  if (out.limit == 0 || out.offset > kOffsetMax) return std::nullopt;
  return out;
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

// The rows of a view that are asked for, all columns.
Result<Page> browse(const RecordTools& tools, const records::View& view, const Window& window,
                    const catalog::Context& context) {
  RowsQuery query{
      .view = view, .matching = records::scan_of(view), .rows = {}, .guard = tools.guard_of(context)};
  SLUICE_TRY(query.rows, in_order_of_records(view, query.matching));
  const PageRequest request{
      .offset = window.offset, .limit = window.limit, .limit_is_explicit = true, .known_total = view.rows};
  return read_page(query, request, tools.budget(), limits_of(context));
}

std::string note_of(const Page& page, const Window& window, std::string_view usual) {
  const std::string rows = fmt::format("{} {}", page.size, page.size == 1 ? "row" : "rows");
  if (!page.has_more())
    return page.offset == 0 ? fmt::format("All {}.", rows) : fmt::format("The last {}.", rows);
  if (page.size < window.limit)
    return fmt::format("Limited to {}, as more would be too large for one answer. `next` reads on.", rows);
  return window.is_given ? fmt::format("Limited to {}. `next` reads on.", rows) : std::string(usual);
}

// The rows, and where they go on. A URI without a query answers with exactly the members of the specification
// as long as nothing had to be cut.
Rendered write_browsed(json::Writer& out, const Page& page, const Window& window, const std::string& uri,
                       std::string_view usual_note) {
  Rendered rendered;
  if (page.has_more())
    rendered.next = fmt::format("{}?offset={}&limit={}", uri, page.offset + page.size, window.limit);
  out.raw_field("data", page.rows)
      .field("total_rows", page.total)
      .field("returned", page.size)
      .field("note", note_of(page, window, usual_note));
  if (window.is_given || (page.has_more() && page.size < window.limit)) {
    out.field("offset", page.offset).field("has_more", page.has_more());
    if (page.has_more()) out.field("next", rendered.next);
  }
  if (page.cells_cut > 0) out.field("warning", cut_cells_warning(page.cells_cut));
  if (!page.schema.empty()) {
    out.key("schema").begin_object().field("numbers_as_text", json::Value(page.schema)).end_object();
  }
  rendered.text = std::move(out.end_object()).take();
  return rendered;
}

Result<Rendered> collection_json(const RecordTools& tools, const std::string& data_type, const Window& window,
                                 const catalog::Context& context) {
  SLUICE_TRY(const Subject subject, tools.open(data_type, context));
  SLUICE_TRY(const Page page, browse(tools, subject.view, window, context));
  json::Writer out;
  out.begin_object().field("type", "data_type_collection").field("data_type", data_type);
  return write_browsed(out, page, window, collection_uri(data_type),
                       "Limited to 100 rows. Use read_parquet tool for full dataset or pagination.");
}

// A data type's own file is shown with the records that are not in it yet.
Result<records::View> view_of_file(const RecordTools& tools, const std::string& path,
                                   const catalog::Context& context) {
  const std::string folder = path.substr(0, path.find('/'));
  if (path == records::file_path(folder) && records::check_data_type(folder).ok()) {
    SLUICE_TRY(Subject subject, tools.open(folder, context));
    return std::move(subject.view);
  }
  return open_file(tools.store(), path, limits_of(context));
}

Result<Rendered> file_json(const RecordTools& tools, const std::string& path, const Window& window,
                           const catalog::Context& context) {
  SLUICE_TRY(const records::View view, view_of_file(tools, path, context));
  SLUICE_TRY(const Page page, browse(tools, view, window, context));
  json::Writer out;
  out.begin_object().field("type", "file").field("filename", path);
  return write_browsed(out, page, window, file_uri(path),
                       "Limited to 100 rows. Use read_parquet tool for the whole data type.");
}

void write_details(json::Writer& out, const RecordTools& tools, const std::string& name,
                   const engine::RunLimits& limits) {
  const Result<std::shared_ptr<records::DataType>> type = tools.find(name);
  const Result<records::View> view =
      type.ok() ? (*type)->glance(limits) : Result<records::View>(type.error());
  const Result<fs::Entry> file = tools.store().root().stat(records::file_path(name));
  out.begin_object().field("data_type", name).key("row_count");
  view.ok() ? out.number(view->rows) : out.null();
  out.key("file_size_bytes");
  file.ok() ? out.number(file->bytes) : out.null();
  if (!view.ok()) out.field("error", view.error().message).field("code", view.error().code);
  out.end_object();
}

// All names, and the details of those that are asked for, until the answer is full.
Result<Rendered> data_types_json(const RecordTools& tools, const Window& window,
                                 const catalog::Context& context) {
  SLUICE_TRY(const std::vector<std::string> names, tools.store().data_types());
  json::Writer out;
  out.begin_object().field("type", "data_types_list").key("data_types").begin_array();
  for (const std::string& name : names) out.string(name);
  out.end_array().field("count", names.size()).key("details").begin_array();
  const std::size_t begin = std::min<std::uint64_t>(window.offset, names.size());
  const std::size_t end =
      window.is_given ? std::min<std::uint64_t>(begin + window.limit, names.size()) : names.size();
  const std::size_t room =
      out.size() + tools.budget().bytes;  // The names do not count: they are always all there.
  std::size_t at = begin;
  for (; at < end && (at == begin || out.size() < room); ++at) {
    if (context.stop().stop_requested()) return cancelled();
    write_details(out, tools, names[at], limits_of(context));
  }
  out.end_array();
  Rendered rendered;
  if (at < names.size()) {
    rendered.next = fmt::format("{}?offset={}", kDataTypesUri, at);
    if (window.is_given) rendered.next += fmt::format("&limit={}", window.limit);
    out.field("details_omitted", names.size() - at).field("next", rendered.next);
  }
  rendered.text = std::move(out.end_object()).take();
  return rendered;
}

Result<Rendered> schema_resource_json(const RecordTools& tools, const std::string& data_type,
                                      const Window& window, catalog::Context& context) {
  std::uint64_t next_offset = 0;
  SLUICE_TRY(const std::string schema, schema_json(tools, data_type, window.offset, context, &next_offset));
  Rendered rendered;
  if (next_offset > 0) rendered.next = fmt::format("{}?offset={}", schema_uri(data_type), next_offset);
  json::Writer out;
  out.begin_object().field("type", "schema").field("data_type", data_type).raw_field("schema", schema);
  if (!rendered.next.empty()) out.field("next", rendered.next);
  rendered.text = std::move(out.end_object()).take();
  return rendered;
}

Result<Rendered> resource_json(const RecordTools& tools, const ResourceUri& uri, catalog::Context& context) {
  const std::string_view text = uri.text();
  const std::size_t mark = text.find('?');
  const std::string_view query = mark == std::string_view::npos ? "" : text.substr(mark + 1);
  const std::optional<Window> window = window_of(query);
  const std::vector<std::string_view> segments = segments_of(text.substr(0, mark).substr(kBase.size()));
  if (segments.empty() || !window) return protocol::resource_not_found(text);
  const std::string_view kind = segments.front();
  if (kind == "files" && segments.size() >= 2) {
    std::string joined;
    for (std::size_t i = 1; i < segments.size(); ++i) (joined += i == 1 ? "" : "/") += segments[i];
    SLUICE_TRY(const std::string path, decode_path(joined));
    return file_json(tools, path, *window, context);
  }
  if (kind == "data_types" && segments.size() == 1) return data_types_json(tools, *window, context);
  if (segments.size() != 2 || (kind != "data_types" && kind != "schemas"))
    return protocol::resource_not_found(text);
  SLUICE_TRY(const std::string data_type, percent_decode(segments[1]));
  SLUICE_CHECK(records::check_data_type(data_type));
  return kind == "schemas" ? schema_resource_json(tools, data_type, *window, context)
                           : collection_json(tools, data_type, *window, context);
}

// What does not exist is not found, however it is spelled; what exists and cannot be read is a failed read.
Error read_error(const Error& cause, std::string_view uri) {
  const bool is_name = cause.code == "invalid_data_type" || cause.code == to_string(ErrorKind::kInvalidInput);
  if (cause.kind == ErrorKind::kNotFound || is_name) return protocol::resource_not_found(uri);
  if (cause.kind == ErrorKind::kCancelled || cause.kind == ErrorKind::kDeadline) return cause;
  return internal_error("Failed to read resource: " + excerpt(cause.message, 200))
      .with_code(cause.code)
      .with_hint(cause.hint);
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

Result<std::vector<protocol::Resource>> list_resources(const RecordTools& tools,
                                                       const catalog::ListQuery& query) {
  SLUICE_TRY(const std::vector<std::string> names, tools.store().data_types());
  SLUICE_TRY(const std::vector<std::string> files, list_files(tools.store(), Files::kListed));
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
      Text{"parquet://data_types/{data_type}", "Data type",
           "The first 100 rows of a data type; ?offset=&limit= reads on"},
      Text{"parquet://files/{+path}", "Parquet file",
           "The first 100 rows of a file; ?offset=&limit= reads on"},
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

Result<protocol::ReadResult> read_resource(const RecordTools& tools, const ResourceUri& uri,
                                           catalog::Context& context) {
  Result<Rendered> rendered = resource_json(tools, uri, context);
  if (!rendered.ok()) return read_error(rendered.error(), uri.text());
  return json_contents(uri, *std::move(rendered));
}

Result<protocol::Completion> complete(const RecordTools& tools, const protocol::CompletionRequest& request) {
  protocol::Completion out;
  std::vector<std::string> values;
  if (request.argument == "data_type") {
    SLUICE_TRY(values, tools.store().data_types());
  } else if (request.argument == "path") {
    SLUICE_TRY(values, list_files(tools.store(), Files::kAll));
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
