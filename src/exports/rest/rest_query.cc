#include "rest/rest_query.h"

#include <array>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/assert.h"
#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/catalog/provider.h"
#include "sluice/json/reader.h"

#include "download/file_bodies.h"
#include "http/attachment.h"
#include "http/problem.h"
#include "http/row_pieces.h"
#include "http/target.h"
#include "rest/accept.h"
#include "rest/openapi.h"
#include "rest/rest_context.h"

namespace sluice::exports {

namespace {

constexpr std::chrono::minutes kQuestionTime{10};  // For all rows, at the speed of the reader.

// Pieces of rows as they are computed.
class PiecesBody final : public protocol::Body {
 public:
  // `source` is what the rows are read from; shared with requests under way.
  PiecesBody(std::shared_ptr<const RowSource> source, std::string first, RowPieces pieces)
      : source_(std::move(source)), first_(std::move(first)), pieces_(std::move(pieces)) {}

  Result<std::string> next() override {
    if (!first_.empty()) return std::exchange(first_, {});
    return pieces_.next();
  }

 private:
  const std::shared_ptr<const RowSource> source_;  // Before the rows: they end first.
  std::string first_;
  RowPieces pieces_;
};

Error invalid_arguments(const json::SchemaProblem& problem) {
  return invalid_input(fmt::format("{}: {}", problem.path, problem.message))
      .with_code("invalid_arguments")
      .with_hint("openapi.json says what the request may hold.");
}

Error not_acceptable(std::string_view what) {
  return unsupported("unknown format: " + excerpt(what))
      .with_code("not_acceptable")
      .with_hint("Formats are csv, json, ndjson, arrow and parquet.");
}

// The format by `format`, or else by the header.
Result<FileFormat> format_of(const json::Object& arguments, const protocol::HttpHead& head) {
  const json::Value* given = arguments.find("format");
  const std::string accept = head.field("accept");
  const std::optional<FileFormat> format =
      given != nullptr ? parse_format(*given->if_string()) : accepted_format(accept);
  if (!format) return not_acceptable(given != nullptr ? *given->if_string() : accept);
  return *format;
}

Result<json::Object> read_url(const protocol::HttpHead& head) {
  constexpr std::array<std::string_view, 3> kKnown = {"bom", "format", "sql"};
  SLUICE_TRY(const Parameters parameters, read_parameters(split_target(head.target).query, kKnown));
  json::Object out;
  for (const auto& [name, value] : parameters) {
    if (name == "bom" && value != "true" && value != "false") {
      return invalid_input("bom: must be true or false, got " + excerpt(value))
          .with_code("invalid_arguments");
    }
    if (name == "bom") {
      out.set(name, value == "true");
    } else {
      out.set(name, value);
    }
  }
  if (!out.contains("sql")) {
    return invalid_input("sql: is missing")
        .with_code("invalid_arguments")
        .with_hint("GET query?sql=SELECT…, percent-encoded; or POST a question as JSON.");
  }
  return out;
}

protocol::Final start_of_rows(FileFormat format) {
  protocol::Final final;
  final.content_type = format == FileFormat::kArrow ? "application/vnd.apache.arrow.stream"
                                                    : std::string(media_type_of(format));
  for (const auto& [header, value] : kPrivateFile) final.headers.emplace_back(header, value);
  final.headers.emplace_back("Content-Disposition", attachment("result", name_of(format)));
  return final;
}

Error too_many_rows(std::uint64_t rows, std::uint64_t most) {
  return limit_reached(fmt::format("{} rows in one response", rows), most)
      .with_code("oversize_result")
      .with_hint("Ask for less: a filter, an aggregate or LIMIT.");
}

// A question has the arguments of one of two tools, and is refused where that tool is.
Status check_tool(const RestQuestion& question, const catalog::ToolRules& rules) {
  const std::string_view tool = question.arguments.contains("sql") ? "query" : "query_data";
  if (rules.allow_name(tool)) return {};
  return catalog::unknown_tool(tool).with_hint(
      "The configuration of the server denies this tool, here as well.");
}

protocol::Final answer_as_parquet(const RestQuestion& question, const RestOptions& options,
                                  const RowSource& source, catalog::Context& context) {
  const Result<query::FilePtr> file =
      source.reader->write_parquet(question.arguments, options.rows_max, context);
  if (!file.ok()) return problem_of(file.error());
  const std::uint64_t bytes = (*file)->bytes_when_opened();
  if (bytes > options.bytes_max) {
    return problem_of(limit_reached("bytes of one response", options.bytes_max)
                          .with_code("oversize_result")
                          .with_hint("Ask for fewer rows or columns."));
  }
  protocol::Final final = start_of_rows(question.format);
  final.body = std::make_shared<FileBody>(*file, ByteRange{.begin = 0, .end = bytes});
  return final;
}

}  // namespace

RestQuestionReader RestQuestionReader::make(const datasets::ReaderTools& tools) {
  Result<json::Schema> statement = json::Schema::compile(sql_body_schema(tools));
  Result<json::Schema> question = json::Schema::compile(question_body_schema(tools));
  SLUICE_ASSERT(statement.ok() && question.ok(), "the schemas are ours");
  return {*std::move(statement), *std::move(question)};
}

Result<json::Object> RestQuestionReader::read_body(const std::string& body) const {
  Result<json::Value> value = json::read(body);
  if (!value.ok()) return Error(value.error()).with_code("invalid_json");
  json::Object* object = value->if_object();
  if (object == nullptr) {
    return invalid_input(fmt::format("the body must be an object, got {}", to_string(value->type())))
        .with_code("invalid_arguments");
  }
  if (const json::Value* format = object->find("format");
      format != nullptr && format->if_string() != nullptr && !parse_format(*format->if_string()))
    return not_acceptable(*format->if_string());
  const json::Schema& schema = object->contains("sql") ? statement_ : question_;
  const std::vector<json::SchemaProblem> problems = schema.validate(*value, "body");
  if (!problems.empty()) return invalid_arguments(problems.front());
  return std::move(*object);
}

Result<RestQuestion> RestQuestionReader::read(const protocol::Inbound& inbound) const {
  RestQuestion out;
  if (inbound.http->method == "POST") {
    SLUICE_TRY(out.arguments, read_body(inbound.body));
  } else {
    SLUICE_TRY(out.arguments, read_url(*inbound.http));
  }
  SLUICE_TRY(out.format, format_of(out.arguments, *inbound.http));
  const json::Value* mark = out.arguments.find("bom");
  out.has_byte_order_mark = mark != nullptr && *mark->if_bool();
  out.arguments.erase("format");
  out.arguments.erase("bom");
  return out;
}

protocol::Final answer_question(const RestQuestion& question, const RestOptions& options,
                                std::shared_ptr<const RowSource> source, const Access& caller,
                                const protocol::Exchange& exchange) {
  if (const Status allowed = check_tool(question, source->tools); !allowed.ok())
    return problem_of(allowed.error());
  RestContext context(caller, exchange.gone(), system_clock().now() + kQuestionTime);
  if (question.format == FileFormat::kParquet) return answer_as_parquet(question, options, *source, context);
  Result<datasets::DatasetReader::Opened> opened = source->reader->open(question.arguments, context);
  if (!opened.ok()) return problem_of(opened.error());
  if (opened->row_count && *opened->row_count > options.rows_max)
    return problem_of(too_many_rows(*opened->row_count, options.rows_max));
  RowPieces pieces(std::move(opened->rows), {.format = question.format,
                                             .arrow = render::ArrowFraming::kStream,
                                             .has_byte_order_mark = question.has_byte_order_mark,
                                             .rows_max = options.rows_max,
                                             .bytes_max = options.bytes_max});
  Result<std::string> first = pieces.next();
  if (!first.ok()) return problem_of(first.error());
  protocol::Final final = start_of_rows(question.format);
  if (pieces.is_at_end()) {
    final.message = *std::move(first);
  } else {
    final.body = std::make_shared<PiecesBody>(std::move(source), *std::move(first), std::move(pieces));
  }
  return final;
}

}  // namespace sluice::exports
