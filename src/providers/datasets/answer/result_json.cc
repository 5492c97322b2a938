#include "answer/result_json.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "sluice/crypto/digest.h"

#include "answer/formats.h"
#include "resources/handle_pages.h"

namespace sluice::datasets {

namespace {

constexpr std::uint64_t kEnvelopeBytes = 1'500;  // Tokens, URIs and warnings beside the rows.
constexpr std::string_view kPagePurpose = "page";

void write_rows(json::Writer& out, render::Shape shape, const std::vector<engine::Field>& columns,
                std::string_view rows, std::string_view key) {
  if (shape == render::Shape::kColumns) {
    write_names(out, "columns", columns);
    out.raw_field("rows", rows);
  } else {
    out.raw_field(key, rows);
  }
}

void write_estimates(json::Writer& out, const query::AnswerRequest& request, const query::Answer& answer) {
  double width = answer.row_bytes;
  if (width <= 0 && request.estimate && request.estimate->rows > 0) {
    width = static_cast<double>(request.estimate->bytes) / static_cast<double>(request.estimate->rows);
  }
  const auto bytes = static_cast<std::uint64_t>(width * static_cast<double>(answer.row_count)) + 2;
  out.key("estimates")
      .begin_object()
      .field("row_estimate", answer.row_count)
      .field("row_estimate_kind", "exact");
  out.field("byte_estimate", bytes).field("token_estimate", render::tokens_of(bytes)).end_object();
}

// A file as a whole, or the first page of a handle.
std::string uri_of(const query::Snapshot& snapshot, query::Format format) {
  return format == query::Format::kJson ? handle_uri(snapshot, 0, query::Format::kCsv)
                                        : file_uri(snapshot, format);
}

protocol::Content link_to(const query::Snapshot& snapshot, query::Format format, const FileFacts& file) {
  protocol::Resource resource;
  resource.uri = uri_of(snapshot, format);
  resource.name = "result";
  resource.mime_type = std::string(mime_type(format == query::Format::kJson ? query::Format::kCsv : format));
  resource.size = file.bytes;
  return {.body = protocol::ResourceLink{.resource = std::move(resource)}};
}

std::int64_t seconds_left(const DatasetTools& tools, const query::Snapshot& snapshot) {
  return std::chrono::duration_cast<std::chrono::seconds>(snapshot.expires - tools.services().clock->now())
      .count();
}

std::string direct_json(const query::AnswerRequest& request, const query::Answer& answer) {
  json::Writer out;
  out.begin_object().field("method", "direct").field("row_count", answer.row_count);
  out.key("page_info")
      .begin_object()
      .field("offset", request.question.offset)
      .field("size", answer.row_count);
  // Of what was asked for there is nothing more; rows behind the caller's own limit are another matter.
  out.field("has_more", false);
  if (answer.is_limited) out.field("limited", true);
  out.end_object();
  write_warnings(out, answer.warnings);
  write_rows(out, request.shape, answer.columns, answer.rows, "data");
  return std::move(out.end_object()).take();
}

std::string snapshot_json(const DatasetTools& tools, const query::AnswerRequest& request,
                          const query::Answer& answer, const FileFacts& file) {
  const query::Snapshot& snapshot = *answer.snapshot;
  const bool is_file = request.format != query::Format::kJson;
  json::Writer out;
  out.begin_object().field("method", is_file ? "file" : "handle").field("result_handle", snapshot.id);
  out.field("resource_uri", uri_of(snapshot, request.format));
  out.field("row_count", answer.row_count);
  if (is_file) out.field("format", name_of(request.format)).field_if("file_size_bytes", file.bytes);
  out.key("page_info").begin_object().field("page_token", page_token(tools, snapshot.id, 0));
  out.field("size", std::uint64_t{0}).field("has_more", answer.row_count > 0).end_object();
  out.field("expires_in_s", seconds_left(tools, snapshot));
  if (file.download) out.field("download", download_json(*file.download));
  if (file.with_file_path) out.field("file_path", snapshot.id + ".parquet");
  write_estimates(out, request, answer);
  write_warnings(out, answer.warnings);
  if (answer.rows == "[]") {  // Then the names alone may be too many as well.
    out.raw_field("preview", answer.rows);
  } else {
    write_rows(out, request.shape, answer.columns, answer.rows, "preview");
  }
  return std::move(out.end_object()).take();
}

}  // namespace

Budget within_envelope(Budget budget) {
  budget.bytes = budget.bytes > 2 * kEnvelopeBytes ? budget.bytes - kEnvelopeBytes : budget.bytes / 2;
  const std::uint64_t tokens = kEnvelopeBytes / 4;
  budget.tokens = budget.tokens > 2 * tokens ? budget.tokens - tokens : budget.tokens / 2;
  return budget;
}

json::Object download_json(const Download& download) {
  json::Array formats;
  for (const std::string_view format : download.formats) formats.emplace_back(format);
  return {{"url", download.url}, {"expires_at", download.expires_at}, {"formats", std::move(formats)}};
}

Result<protocol::ToolResult> answer_result(const DatasetTools& tools, const query::AnswerRequest& request,
                                           query::Answer answer, const FileFacts& file) {
  if (!answer.snapshot) return protocol::json_text_result(direct_json(request, answer));
  if (request.format == query::Format::kJson) {
    const std::string reason = answer.cap ? fmt::format("is over {}", render::to_string(*answer.cap))
                                          : "is larger than one answer may be";
    answer.warnings.insert(
        answer.warnings.begin(),
        fmt::format("The result {}: it is kept as a handle. `preview` shows the first rows; "
                    "query_next_page with page_token reads all {} from the first.",
                    reason, answer.row_count));
  }
  protocol::ToolResult result = protocol::json_text_result(snapshot_json(tools, request, answer, file));
  result.content.push_back(link_to(*answer.snapshot, request.format, file));
  return result;
}

protocol::ToolResult estimate_result(const Measurement& measurement, const Budget& budget) {
  const query::Estimate& estimate = measurement.estimate;
  json::Writer out;
  out.begin_object()
      .field("row_estimate", estimate.rows)
      .field("row_estimate_kind", query::to_string(estimate.kind));
  out.field("byte_estimate", estimate.bytes)
      .field("token_estimate", estimate.tokens)
      .field("fits_inline", measurement.fits_inline);
  out.key("suggested_caps").begin_object();
  out.field("max_rows", std::clamp<std::uint64_t>(estimate.rows, 1, budget.rows));
  out.field("max_bytes", std::clamp<std::uint64_t>(estimate.bytes, 1, budget.bytes)).end_object();
  out.key("warnings").begin_array();
  for (const std::string& warning : measurement.warnings) out.string(warning);
  out.end_array();
  if (!measurement.alternatives.empty()) out.field("alternatives", measurement.alternatives);
  out.raw_field("preview", measurement.preview).end_object();
  return protocol::json_text_result(std::move(out).take());
}

protocol::ToolResult page_result(const DatasetTools& tools, const query::Snapshot& snapshot,
                                 const query::PageRequest& request, const query::Page& page,
                                 std::vector<std::string> warnings) {
  const std::uint64_t next = request.offset + page.size;
  const bool has_more = next < snapshot.rows;
  std::vector<engine::Field> columns = snapshot.columns;
  if (page.columns > 0) {
    warnings.push_back(fmt::format(
        "One row is larger than a page: it has its first {} of {} columns. query_data with `columns` "
        "reads others.",
        page.columns, columns.size()));
    columns.resize(page.columns);
  } else if (page.cells_cut)
    warnings.emplace_back("One row is larger than a page: its long cells were cut and end in an ellipsis.");
  json::Writer out;
  out.begin_object().field("method", "direct").field("row_count", page.size);
  out.key("page_info").begin_object().field("offset", request.offset).field("size", page.size);
  out.field("total", snapshot.rows).field("has_more", has_more);
  if (has_more) out.field("page_token", page_token(tools, snapshot.id, next));
  out.end_object().field("result_handle", snapshot.id);
  write_warnings(out, warnings);
  if (request.format == query::Format::kCsv) {
    out.field("format", "csv").field("data", page.rows);
  } else {
    write_rows(out, request.shape, columns, page.rows, "data");
  }
  return protocol::json_text_result(std::move(out.end_object()).take());
}

Result<protocol::ToolResult> page_file_result(const DatasetTools& tools, engine::Engine& engine,
                                              const query::Snapshot& snapshot, const FilePageRequest& request,
                                              const std::vector<std::string>& warnings,
                                              const catalog::Context& context) {
  const query::Format format = request.format;
  const engine::RunLimits limits = limits_of(context);
  SLUICE_TRY(const std::uint64_t size,
             rows_of_page(engine, snapshot, {.offset = request.offset, .budget = request.budget}, limits));
  SLUICE_TRY(
      const std::optional<std::uint64_t> page,
      page_of_rows(tools, engine, snapshot, {.offset = request.offset, .count = size}, format, limits));
  json::Writer out;
  out.begin_object().field("method", "file").field("format", name_of(format));
  out.field("resource_uri",
            page ? handle_uri(snapshot, *page, format) : rows_uri(snapshot, request.offset, size, format));
  out.field("row_count", size);
  const std::uint64_t next = request.offset + size;
  out.key("page_info").begin_object().field("offset", request.offset).field("size", size);
  out.field("total", snapshot.rows).field("has_more", next < snapshot.rows);
  if (next < snapshot.rows) out.field("page_token", page_token(tools, snapshot.id, next));
  out.end_object().field("result_handle", snapshot.id);
  write_warnings(out, warnings);
  return protocol::json_text_result(std::move(out.end_object()).take());
}

std::string page_token(const DatasetTools& tools, std::string_view handle, std::uint64_t offset) {
  return tools.services().signer.sign(kPagePurpose, fmt::format("{} {}", handle, offset));
}

Result<std::uint64_t> read_page_token(const DatasetTools& tools, std::string_view handle,
                                      std::string_view token) {
  const std::optional<std::string> payload = tools.services().signer.verify(kPagePurpose, token);
  const std::string prefix = std::string(handle) + " ";
  std::uint64_t offset = 0;
  if (payload && payload->starts_with(prefix)) {
    const char* begin = payload->data() + prefix.size();
    if (std::from_chars(begin, payload->data() + payload->size(), offset).ec == std::errc{}) return offset;
  }
  return invalid_input("page_token: not one of this handle's")
      .with_code("invalid_page_token")
      .with_hint("Use the page_token of the last answer, or leave it out to begin at the first row.");
}

std::string handle_uri(const query::Snapshot& snapshot, std::uint64_t page, query::Format format) {
  return fmt::format("{}://handle/{}/{}{}", snapshot.scheme, snapshot.id, page,
                     format == query::Format::kCsv ? "" : fmt::format("?format={}", name_of(format)));
}

std::string rows_uri(const query::Snapshot& snapshot, std::uint64_t offset, std::uint64_t length,
                     query::Format format) {
  return fmt::format("{}://handle/{}/rows?format={}&offset={}&length={}", snapshot.scheme, snapshot.id,
                     name_of(format), offset, length);
}

std::string file_uri(const query::Snapshot& snapshot, query::Format format) {
  return fmt::format("{}://handle/{}/file?format={}", snapshot.scheme, snapshot.id, name_of(format));
}

std::string plan_digest(const expression::Question& question) {
  std::string text = question.sql;
  for (const engine::Parameter& parameter : question.parameters) {
    text += '\0';
    if (const auto* one = std::get_if<std::string>(&parameter)) text += *one;
    if (const auto* many = std::get_if<std::vector<std::string>>(&parameter)) {
      for (const std::string& one : *many) (text += '\1') += one;
    }
  }
  text += '\0';
  text += fmt::format("{} {}", question.limit.value_or(0), question.offset);
  std::string hex;
  for (const char c : crypto::sha256(text).substr(0, 6))
    hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex;
}

}  // namespace sluice::datasets
