#include <utility>

#include "sluice/json/object_reader.h"

#include "page.h"
#include "record_query.h"
#include "tools.h"

namespace sluice::records_provider {

namespace {

constexpr std::size_t kPageMembersBytes = 512;  // What an answer has beside its rows.

Result<Page> rows_page(const RecordTools& tools, const Subject& subject, const json::Object& arguments,
                       const catalog::Context& context) {
  const records::View& view = subject.view;
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::vector<std::string> columns, in.optional_strings("columns"));
  SLUICE_TRY(PageRequest request, page_request(arguments, kUsualLimit));
  request.known_total = view.rows;
  if (const auto named = named_columns(view, columns); !named.ok()) return named.error();
  SLUICE_TRY(plan::Condition condition, condition_of(arguments, "filters", view));
  SLUICE_TRY(const RowsQuery query,
             rows_query(tools, arguments, context, view, std::move(condition), columns));
  return read_page(query, request, tools.budget(), limits_of(context));
}

}  // namespace

Result<protocol::ToolResult> list_data_types(const RecordTools& tools, const json::Object&,
                                             catalog::Context&) {
  SLUICE_TRY(const std::vector<std::string> names, tools.store().data_types());
  json::Writer out;
  out.begin_object().key("data_types").begin_array();
  for (const std::string& name : names) out.string(name);
  out.end_array().field("count", names.size()).end_object();
  return protocol::json_text_result(std::move(out).take());
}

Result<protocol::ToolResult> read_parquet(const RecordTools& tools, const json::Object& arguments,
                                          catalog::Context& context) {
  SLUICE_TRY(const Subject subject, tools.open(arguments, context));
  SLUICE_TRY(const Page page, rows_page(tools, subject, arguments, context));
  json::Writer out;
  out.reserve(page.rows.size() + kPageMembersBytes);
  out.begin_object().field("count", page.size).field("total_rows", page.total);
  out.field("offset", page.offset).field("limit", page.limit);
  write_page_notes(out, page);
  out.field("version", subject.view.version).raw_field("data", page.rows).end_object();
  return protocol::json_text_result(std::move(out).take());
}

Result<protocol::ToolResult> sort_parquet(const RecordTools& tools, const json::Object& arguments,
                                          catalog::Context& context) {
  SLUICE_TRY(const Subject subject, tools.open(arguments, context));
  SLUICE_TRY(const Page page, rows_page(tools, subject, arguments, context));
  json::Writer out;
  out.begin_object().field("count", page.size).field("total_rows", page.total);
  write_page_notes(out, page);
  out.field("version", subject.view.version).raw_field("data", page.rows).end_object();
  return protocol::json_text_result(std::move(out).take());
}

}  // namespace sluice::records_provider
