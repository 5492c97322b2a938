#include "resources/server_resources.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/clock.h"
#include "sluice/base/uri.h"
#include "sluice/contents/uri_query.h"
#include "sluice/json/writer.h"
#include "sluice/query/answer.h"

namespace sluice::datasets {

namespace {

constexpr std::string_view kScheme = "sluice://";
constexpr std::string_view kResult = "result/";
constexpr std::uint64_t kRowsUsual = 200;
constexpr std::uint64_t kRowsMax = 500;
constexpr std::uint64_t kCellUsual = 200;
constexpr std::uint64_t kCellMax = 10'000;
constexpr std::uint64_t kPageBytesMax = std::uint64_t{256} << 10U;

protocol::ReadResult json_contents(const ResourceUri& uri, json::Writer&& body) {
  protocol::ResourceContents contents;
  contents.uri = uri.text();
  contents.mime_type = "application/json";
  contents.body = protocol::TextBody{.text = std::move(body).take()};
  protocol::ReadResult out;
  out.contents.push_back(std::move(contents));
  return out;
}

std::int64_t seconds_between(Monotonic from, Monotonic to) {
  return std::chrono::duration_cast<std::chrono::seconds>(to - from).count();
}

std::int64_t seconds_left(const query::Snapshot& snapshot, Monotonic now) {
  return std::max<std::int64_t>(0, seconds_between(now, snapshot.expires));
}

const Monotonic kProcessStart = system_clock().now();

Result<protocol::ReadResult> read_server(const DatasetTools& tools, const ResourceUri& uri) {
  json::Writer out;
  out.begin_object();
  out.field("version", tools.services().version);
  out.field("uptime_s", seconds_between(kProcessStart, system_clock().now()));
  out.field("datasets", tools.inventory().size());
  out.end_object();
  return json_contents(uri, std::move(out));
}

// A number of a URI's query within its bounds; `usual` if it is not there.
Result<std::uint64_t> number_of(const contents::UriQuery& query, std::string_view name, std::uint64_t usual,
                                std::uint64_t least, std::uint64_t most) {
  if (!query.has(name)) return usual;
  const std::string_view text = query.text(name);
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || number < least ||
      number > most) {
    return invalid_input(fmt::format("{} of a result's rows: {} to {}", name, least, most))
        .with_code("invalid_arguments")
        .with_hint("Leave it out for the default.");
  }
  return number;
}

Result<protocol::ReadResult> read_result_rows(const DatasetTools& tools, const ResourceUri& uri,
                                              std::string_view path, const catalog::Context& context) {
  constexpr std::array<std::string_view, 3> kParameters = {"offset", "limit", "cell"};
  const std::size_t mark = std::min(path.find('?'), path.size());
  const auto query =
      contents::UriQuery::parse(mark < path.size() ? path.substr(mark + 1) : std::string_view(), kParameters);
  const Result<std::string> name = percent_decode(path.substr(0, mark));
  if (!query || !name.ok() || name->empty()) return protocol::resource_not_found(uri.text());
  SLUICE_TRY(const std::uint64_t offset, number_of(*query, "offset", 0, 0, INT64_MAX));
  SLUICE_TRY(const std::uint64_t limit, number_of(*query, "limit", kRowsUsual, 1, kRowsMax));
  SLUICE_TRY(const std::uint64_t cell, number_of(*query, "cell", kCellUsual, 1, kCellMax));
  SLUICE_TRY(const std::shared_ptr<engine::Engine> engine, tools.services().engines->get());
  const std::string handle =
      tools.results().find(lean::ResultNames::owner_of(context), *name).value_or(*name);
  SLUICE_TRY(const query::SnapshotPtr snapshot,
             tools.services().spool->find(handle, context.principal(), *engine));
  std::string rows = "[]";
  if (offset < snapshot->rows) {
    query::PageRequest request{
        .offset = offset,
        .budget = {.rows = limit, .cells = UINT64_MAX, .bytes = kPageBytesMax, .tokens = UINT64_MAX},
        .shape = render::Shape::kColumns,
        .cell_bytes_max = cell};
    SLUICE_TRY(query::Page page, query::read_page(*engine, *snapshot, request, limits_of(context)));
    rows = std::move(page.rows);
  }
  json::Writer out;
  out.begin_object();
  out.field("handle", snapshot->id);
  out.field("bytes", snapshot->bytes);
  out.field("expires_s", seconds_left(*snapshot, tools.services().clock->now()));
  out.field("offset", offset);
  out.field("total", snapshot->rows);
  out.key("columns").begin_array();
  for (const engine::Field& column : snapshot->columns) {
    out.begin_object();
    out.field("name", column.name);
    out.field("type", engine::sql_name(column.type));
    out.end_object();
  }
  out.end_array();
  out.raw_field("rows", rows);
  out.end_object();
  return json_contents(uri, std::move(out));
}

}  // namespace

bool is_server_resource(const ResourceUri& uri) { return std::string_view(uri.text()).starts_with(kScheme); }

Result<protocol::ReadResult> read_server_resource(const DatasetTools& tools, const ResourceUri& uri,
                                                  catalog::Context& context) {
  std::string_view path = uri.text();
  path.remove_prefix(kScheme.size());
  if (path == "server") return read_server(tools, uri);
  if (path.starts_with(kResult)) return read_result_rows(tools, uri, path.substr(kResult.size()), context);
  return protocol::resource_not_found(uri.text());
}

}  // namespace sluice::datasets
