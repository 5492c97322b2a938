#include "resources/handle_resources.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/utf8.h"
#include "sluice/catalog/provider.h"
#include "sluice/contents/uri_query.h"
#include "sluice/query/result_file.h"

#include "answer/formats.h"
#include "answer/result_json.h"
#include "resources/handle_pages.h"

namespace sluice::datasets {

namespace {

using query::Format;

constexpr std::string_view kFile = "file";
constexpr std::string_view kRows = "rows";
constexpr std::size_t kPartBytesMax = std::size_t{1} << 20U;
constexpr std::size_t kCharacterBytesMax = 4;

protocol::ReadResult contents_of(const ResourceUri& uri, Format format, std::string body, json::Object meta) {
  protocol::ResourceContents contents;
  contents.uri = uri.text();
  contents.mime_type = std::string(mime_type(format));
  if (is_binary(format)) {
    contents.body = protocol::BlobBody{.bytes = std::move(body)};
  } else {
    contents.body = protocol::TextBody{.text = std::move(body)};
  }
  contents.meta = std::move(meta);
  protocol::ReadResult result;
  result.contents.push_back(std::move(contents));
  return result;
}

void set_next(json::Object& meta, const std::optional<std::string>& next) {
  meta.set("has_more", next.has_value());
  if (!next) return;
  meta.set("next", *next);
  meta.set("sluice/next", *next);
}

json::Object row_meta(const query::Snapshot& snapshot, const PagePlace& shown) {
  return {{"rows", shown.size}, {"offset", shown.offset}, {"total_rows", snapshot.rows}};
}

// Where the page stands in its handle, by what is shown of it.
json::Object page_meta(const query::Snapshot& snapshot, const PagePlace& shown, Format format) {
  json::Object out = row_meta(snapshot, shown);
  const bool has_more = shown.offset + shown.size < snapshot.rows;
  set_next(out, has_more ? std::optional(handle_uri(snapshot, shown.page + 1, format)) : std::nullopt);
  return out;
}

struct BinaryRows {
  PagePlace place;
  Format format = Format::kParquet;
};
Result<std::string> binary_rows(const DatasetTools& tools, const query::Snapshot& snapshot,
                                engine::Engine& engine, const BinaryRows& rows,
                                const engine::RunLimits& limits) {
  const std::uint64_t bytes_max = tools.services().limits.usual.bytes;
  const PagePlace& place = rows.place;
  if (rows.format == Format::kArrow)
    return query::page_as_arrow(engine, snapshot, place.offset, place.size, bytes_max, limits);
  return tools.services().spool->page_as_parquet(engine, snapshot, place.offset, place.size, bytes_max,
                                                 limits);
}

// The bytes of a part, without those of a character that it would cut in two.
struct Part {
  std::uint64_t offset = 0;
  std::string bytes;
};

// Of text, a part has every character whose last byte is in the range, and at least one: parts that follow
// one another give the whole text.
Result<Part> read_text_part(const fs::File& file, std::uint64_t offset, std::size_t length) {
  const std::uint64_t before = std::min<std::uint64_t>(offset, kCharacterBytesMax - 1);
  SLUICE_TRY(const std::string bytes, file.read_at(offset - before, before + length + kCharacterBytesMax));
  std::size_t begin = std::min<std::size_t>(before, bytes.size());
  while (begin > 0 && begin < bytes.size() && continues_character(bytes[begin])) --begin;
  std::size_t end = std::min<std::size_t>(before + length, bytes.size());
  while (end > begin && end < bytes.size() && continues_character(bytes[end])) --end;
  if (end == begin) {
    if (end < bytes.size()) ++end;
    while (end < bytes.size() && continues_character(bytes[end])) ++end;
  }
  return Part{.offset = offset - before + begin, .bytes = bytes.substr(begin, end - begin)};
}

Result<Part> read_part(const fs::File& file, std::uint64_t offset, std::size_t length, Format format) {
  if (!is_binary(format)) return read_text_part(file, offset, length);
  SLUICE_TRY(std::string bytes, file.read_at(offset, length));
  return Part{.offset = offset, .bytes = std::move(bytes)};
}

// How many bytes a part has: text becomes tokens of whoever reads it, binary files do not.
std::size_t part_bytes(const DatasetTools& tools, Format format, std::optional<std::uint64_t> wanted) {
  const Limits& limits = tools.services().limits;
  const auto bound = [format](const Budget& budget) {
    return is_binary(format) ? budget.bytes : std::min(budget.bytes, budget.tokens * 4);
  };
  const std::uint64_t usual = bound(within_envelope(limits.usual));
  const std::uint64_t bytes = wanted ? std::min(*wanted, bound(limits.ceiling)) : usual;
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(bytes, 1, kPartBytesMax));
}

Result<protocol::ReadResult> read_file_part(const DatasetTools& tools, const ResourceUri& uri,
                                            const query::Snapshot& snapshot, engine::Engine& engine,
                                            Format format, const contents::Range& range,
                                            const catalog::Context& context) {
  SLUICE_TRY(const query::FilePtr file,
             query::result_file(engine, *tools.services().spool, snapshot, format, limits_of(context)));
  const std::uint64_t bytes = file->bytes_when_opened();
  const std::uint64_t offset = range.offset.value_or(0);
  if (offset > bytes) {
    return not_found(fmt::format("the file has {} bytes", bytes))
        .with_code("unknown_page")
        .with_hint("Give an `offset` below that.");
  }
  SLUICE_TRY(Part part, read_part(*file, offset, part_bytes(tools, format, range.length), format));
  const std::uint64_t end = part.offset + part.bytes.size();
  json::Object meta{{"offset", part.offset},
                    {"length", part.bytes.size()},
                    {"bytes", bytes},
                    {"sluice/size", bytes},
                    {"total_rows", snapshot.rows}};
  std::optional<std::string> next;
  if (end < bytes) {
    next = fmt::format("{}&offset={}", file_uri(snapshot, format), end);
    if (range.length) *next += fmt::format("&length={}", *range.length);
  }
  set_next(meta, next);
  return contents_of(uri, format, std::move(part.bytes), std::move(meta));
}

// The rows that were asked for; of text, as many as fit an answer.
Result<protocol::ReadResult> read_row_range(const DatasetTools& tools, const ResourceUri& uri,
                                            const query::Snapshot& snapshot, engine::Engine& engine,
                                            Format format, const contents::Range& range,
                                            const catalog::Context& context) {
  const engine::RunLimits limits = limits_of(context);
  PagePlace place{.offset = range.offset.value_or(0)};
  if (place.offset > 0 && place.offset >= snapshot.rows) {
    return not_found(fmt::format("the result has {} rows", snapshot.rows))
        .with_code("unknown_page")
        .with_hint("Give an `offset` below that.");
  }
  query::PageRequest request = page_request(tools, place.offset, format);
  request.budget.rows = std::min(request.budget.rows, range.length.value_or(UINT64_MAX));
  std::string body;
  if (is_binary(format)) {
    place.size = std::min(range.length.value_or(request.budget.rows), snapshot.rows - place.offset);
    SLUICE_TRY(body, binary_rows(tools, snapshot, engine, {.place = place, .format = format}, limits));
  } else {
    SLUICE_TRY(query::Page page, query::read_page(engine, snapshot, request, limits));
    place.size = page.size;
    body = std::move(page.rows);
  }
  json::Object meta = row_meta(snapshot, place);
  const std::uint64_t next = place.offset + place.size;
  const std::uint64_t length = range.length.value_or(std::max<std::uint64_t>(1, place.size));
  set_next(meta,
           next < snapshot.rows ? std::optional(rows_uri(snapshot, next, length, format)) : std::nullopt);
  return contents_of(uri, format, std::move(body), std::move(meta));
}

std::optional<std::uint64_t> page_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

Result<protocol::ReadResult> read_page_resource(const DatasetTools& tools, const ResourceUri& uri,
                                                const query::Snapshot& snapshot, const PageOfHandle& wanted,
                                                const catalog::Context& context) {
  const engine::RunLimits limits = limits_of(context);
  const Format format = wanted.format;
  SLUICE_TRY(const std::shared_ptr<engine::Engine> engine, tools.services().engines->get());
  SLUICE_TRY(PagePlace place, find_page(tools, *engine, snapshot, wanted.page, format, limits));
  if (is_binary(format)) {
    SLUICE_TRY(std::string bytes,
               binary_rows(tools, snapshot, *engine, {.place = place, .format = format}, limits));
    return contents_of(uri, format, std::move(bytes), page_meta(snapshot, place, format));
  }
  SLUICE_TRY(query::Page page,
             query::read_page(*engine, snapshot, page_request(tools, place.offset, format), limits));
  place.size = page.size;
  json::Object meta = page_meta(snapshot, place, format);
  if (page.cells_cut) meta.set("cells_cut", true);
  if (page.columns > 0) meta.set("columns_shown", page.columns);
  return contents_of(uri, format, std::move(page.rows), std::move(meta));
}

Result<protocol::ReadResult> read_handle(const DatasetTools& tools, const ResourceUri& uri,
                                         std::string_view path, catalog::Context& context) {
  path.remove_prefix(kHandlePath.size());
  contents::Range range;
  Format format = Format::kCsv;
  if (const std::size_t mark = path.find('?'); mark != std::string_view::npos) {
    constexpr std::array<std::string_view, 3> kParameters = {"format", "offset", "length"};
    const auto query = contents::UriQuery::parse(path.substr(mark + 1), kParameters);
    const std::optional<contents::Range> given = query ? query->range() : std::nullopt;
    if (!given) return protocol::resource_not_found(uri.text());
    range = *given;
    if (query->has("format")) {
      SLUICE_TRY(format, parse_format(tools, query->text("format")));
    }
    path = path.substr(0, mark);
  }
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos) return protocol::resource_not_found(uri.text());
  const std::string_view part = path.substr(slash + 1);
  const std::optional<std::uint64_t> page = page_number(part);
  if (part != kFile && part != kRows && (!page || range.is_given()))
    return protocol::resource_not_found(uri.text());
  SLUICE_TRY(const std::shared_ptr<engine::Engine> engine, tools.services().engines->get());
  SLUICE_TRY(const query::SnapshotPtr snapshot,
             tools.services().spool->find(path.substr(0, slash), tools.caller_of(context), *engine));
  if (snapshot->scheme != std::string_view(uri.text()).substr(0, uri.text().find(':')))
    return query::unknown_handle();
  if (part == kFile) return read_file_part(tools, uri, *snapshot, *engine, format, range, context);
  if (part == kRows) return read_row_range(tools, uri, *snapshot, *engine, format, range, context);
  return read_page_resource(tools, uri, *snapshot, {.page = *page, .format = format}, context);
}

}  // namespace sluice::datasets
