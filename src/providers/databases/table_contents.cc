#include "table_contents.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/budget.h"
#include "sluice/base/text.h"
#include "sluice/catalog/provider.h"
#include "sluice/contents/contents.h"
#include "sluice/contents/read_room.h"
#include "sluice/contents/resource_path.h"
#include "sluice/expression/question.h"
#include "sluice/query/query_arguments.h"
#include "sluice/render/feed.h"
#include "sluice/render/rows.h"

#include "schema_text.h"

namespace sluice::databases {

namespace {

constexpr std::uint64_t kUsualRows = 100;
constexpr std::uint64_t kRowsMax = 1'000;
constexpr std::size_t kCellBytesMax = contents::kContentBytesMax / 8;
constexpr std::size_t kCellBytesMin = 16;

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) out.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(text.size(), comma + 1));
  }
  return out;
}

// `-created_at,id`: the newest first. A column may itself begin with a hyphen.
std::vector<expression::Order> order_of(std::string_view text, const expression::Columns& columns) {
  std::vector<expression::Order> out;
  for (std::string& name : split_names(text)) {
    const bool is_column = std::any_of(columns.begin(), columns.end(),
                                       [&](const engine::Field& column) { return column.name == name; });
    const bool is_descending = !is_column && name.starts_with('-');
    out.push_back({.column = is_descending ? name.substr(1) : std::move(name), .descending = is_descending});
  }
  return out;
}

struct Page {
  std::string text;
  std::uint64_t rows = 0;
  std::uint64_t cells_cut = 0;
  bool is_complete = false;
};

struct PageBounds {
  std::size_t bytes = contents::kContentBytesMax;
  std::size_t cell_bytes = kCellBytesMax;
};

Result<Page> read_page(const TableContentsRequest& request, const query::Table& known,
                       const expression::Question& question, const PageBounds& bounds) {
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows, request.table.read(known, question, request.limits));
  Budget budget;
  budget.rows = question.limit.value_or(kUsualRows);
  budget.cells = UINT64_MAX;
  budget.bytes = bounds.bytes;
  budget.tokens = UINT64_MAX;
  render::JsonRows out(rows->columns(), {.budget = budget, .cell_bytes_max = bounds.cell_bytes});
  SLUICE_TRY(const bool is_complete, render::feed(*rows, out));
  Page page{.text = {}, .rows = out.meter().rows(), .cells_cut = out.cells_cut(), .is_complete = is_complete};
  page.text = std::move(out).take();
  return page;
}

Error row_too_large(const TableContentsRequest& request) {
  return invalid_input(fmt::format("Failed to read resource: one row has more than {} bytes",
                                   std::min(contents::kContentBytesMax, request.room)))
      .with_code("resource_too_large")
      .with_hint("Name the columns that are needed: " + excerpt(request.table.uri("data"), 200) +
                 "?columns=…");
}

// As many rows as fit. The text becomes a JSON string, in which every quote takes two bytes: how much that
// adds is known once it is there.
Result<Page> read_fitting_page(const TableContentsRequest& request, const query::Table& known,
                               const expression::Question& question) {
  constexpr int kAttemptsMax = 4;
  const std::size_t columns = question.plan->columns.size();
  PageBounds bounds;
  bounds.bytes = std::min(contents::kContentBytesMax, request.room);
  bounds.cell_bytes = std::max(kCellBytesMin, std::min(kCellBytesMax, bounds.bytes / 8));
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    SLUICE_TRY(Page page, read_page(request, known, question, bounds));
    const bool is_empty = page.rows == 0 && !page.is_complete && question.limit.value_or(1) > 0;
    const std::size_t size = contents::json_string_bytes(page.text);
    if (!is_empty && size <= request.room) return page;
    if (is_empty ||
        page.rows == 1) {  // The first row alone is too large: escapes make up to six bytes of one.
      bounds.bytes = std::min(contents::kContentBytesMax, request.room);
      const std::size_t share = bounds.bytes / (8 * std::max<std::size_t>(1, columns));
      if (bounds.cell_bytes <= std::max(kCellBytesMin, share)) break;
      bounds.cell_bytes = std::max(kCellBytesMin, share);
    } else {
      bounds.bytes = bounds.bytes / 20 * 19 * request.room / size;
    }
  }
  return row_too_large(request);
}

std::string next_uri(const TableContentsRequest& request, std::uint64_t offset, std::uint64_t limit) {
  std::string out = fmt::format("{}?limit={}&offset={}", request.table.uri("data"), limit, offset);
  for (const std::string_view name : {"columns", "order"}) {
    if (request.query.has(name)) out += fmt::format("&{}={}", name, percent_encode(request.query.text(name)));
  }
  return out;
}

}  // namespace

Result<protocol::ResourceContents> read_schema(const TableContentsRequest& request) {
  const contents::UriQuery& query = request.query;
  const std::string_view format = query.text("format");
  const std::optional<contents::Range> range = query.range();
  if (query.has("limit") || query.has("columns") || query.has("order") || !range ||
      (query.has("format") && format != "json" && format != "text"))
    return protocol::resource_not_found(request.uri.text());
  SLUICE_TRY(const query::Table known, request.table.inspect(request.limits));
  const bool is_json = format == "json";
  const std::string text = is_json ? schema_json(*known.layout) : schema_text(*known.layout);
  return contents::text_contents(
      {.uri = contents::plain_uri(request.uri),
       .type = is_json ? "application/json" : "text/plain",
       .text = text,
       .range = *range,
       .room = request.room,
       .range_uri = request.table.uri("schema") + (is_json ? "?format=json&" : "?")});
}

Result<protocol::ResourceContents> read_rows(const TableContentsRequest& request) {
  const contents::UriQuery& query = request.query;
  if (query.has("length") || (query.has("format") && query.text("format") != "json"))
    return protocol::resource_not_found(request.uri.text());
  for (const std::string_view name : {"limit", "offset"}) {
    if (query.has(name) && !query.number(name)) return protocol::resource_not_found(request.uri.text());
  }
  const std::uint64_t limit = std::min(query.number("limit").value_or(kUsualRows), kRowsMax);
  const std::uint64_t offset = query.number("offset").value_or(0);
  SLUICE_TRY(const query::Table known, request.table.inspect(request.limits));
  const expression::QueryArguments query_arguments{.columns = split_names(query.text("columns")),
                                                   .order_by = order_of(query.text("order"), known.columns),
                                                   .limit = limit,
                                                   .offset = offset};
  SLUICE_TRY(const expression::Question question,
             query::compile(query_arguments, known, request.table.collection(), request.guard));
  SLUICE_TRY(Page page, read_fitting_page(request, known, question));
  protocol::ResourceContents contents;
  contents.uri = contents::plain_uri(request.uri);
  contents.mime_type = "application/json";
  contents.body = protocol::TextBody{.text = std::move(page.text)};
  contents.meta.set("sluice/rows", page.rows);
  if (page.cells_cut > 0) contents.meta.set("sluice/cells_cut", page.cells_cut);
  if (!page.is_complete && page.rows > 0)
    contents.meta.set("sluice/next", next_uri(request, offset + page.rows, limit));
  return contents;
}

}  // namespace sluice::databases
