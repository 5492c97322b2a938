#include "resources/resources.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/query/advice.h"
#include "sluice/query/statement.h"

#include "answer/summaries.h"
#include "resources/handle_resources.h"
#include "tools/tools.h"

namespace sluice::datasets {

namespace {

using query::Collection;
using query::DatasetPtr;
using query::Format;

std::string_view rest_of(const ResourceUri& uri) {
  const std::string_view text = uri.text();
  const std::size_t mark = text.find("://");
  return mark == std::string_view::npos ? std::string_view() : text.substr(mark + 3);
}

std::string_view scheme_of(const ResourceUri& uri) {
  const std::string_view text = uri.text();
  return text.substr(0, text.find(':'));
}

std::string template_of(const Collection& collection, std::string_view part) {
  std::string out = collection.scheme + "://";
  if (collection.dimensions.empty()) out += "{+dataset}/";
  for (const query::Dimension& dimension : collection.dimensions) out += "{" + dimension.name + "}/";
  return out + std::string(part);
}

protocol::ReadResult text_contents(const ResourceUri& uri, std::string_view mime_type, std::string body) {
  protocol::ReadResult result;
  protocol::ResourceContents contents;
  contents.uri = uri.text();
  contents.mime_type = std::string(mime_type);
  contents.body = protocol::TextBody{.text = std::move(body)};
  result.contents.push_back(std::move(contents));
  return result;
}

// Says in words that a page is not all there is: most hosts show a reader the text, and no metadata.
protocol::ResourceContents note_of_rest(const protocol::ResourceContents& page) {
  const auto number = [&page](std::string_view key) {
    const json::Value* value = page.meta.find(key);
    return value == nullptr ? 0 : value->if_number()->as_int64().value_or(0);
  };
  const std::string& next = *page.meta.find("next")->if_string();
  protocol::ResourceContents note;
  note.uri = next;
  note.mime_type = "text/plain";
  note.body = protocol::TextBody{.text = fmt::format("These are the first {} of {} rows. Read on at {}.",
                                                     number("rows"), number("total_rows"), next)};
  return note;
}

// Rows of a dataset as CSV: the first page, and where the next one is. Never all at once.
Result<protocol::ReadResult> read_rows(const DatasetTools& tools, const ResourceUri& uri,
                                       const Subject& subject, const expression::Question& question,
                                       catalog::Context& context) {
  const query::AnswerRequest request{.dataset = subject.dataset,
                                     .table = subject.table.get(),
                                     .question = question,
                                     .format = Format::kCsv,
                                     .budget = tools.services().limits.usual,
                                     .principal = context.principal(),
                                     .limits = limits_of(context)};
  SLUICE_TRY(const query::Answer answer, query::answer(*subject.engine, *tools.services().spool, request));
  SLUICE_TRY(protocol::ReadResult page, read_page_resource(tools, uri, *answer.snapshot, {}, context));
  if (page.contents.front().meta.contains("next")) {
    page.contents.push_back(note_of_rest(page.contents.front()));
  } else {
    tools.services().spool->remove(*answer.snapshot);  // Nobody knows of a handle that has no second page.
  }
  return page;
}

void add_sum(query::QueryArguments& totals, const std::string& column) {
  const auto is_same = [&](const query::Aggregate& one) { return one.column == column; };
  if (std::none_of(totals.aggregates.begin(), totals.aggregates.end(), is_same))
    totals.aggregates.push_back({.column = column, .fn = query::AggregateFn::kSum});
}

std::string sum_column(const std::string& column) {
  return engine::quote_name(query::output_name({.column = column, .fn = query::AggregateFn::kSum}));
}

// One row: the number of rows, the sum of each column that has a role, and for a role that is a ratio the
// quotient of the sums, under the name of the role.
Result<expression::Question> totals_question(const Subject& subject) {
  const query::Collection& collection = subject.dataset->collection();
  const expression::Columns& columns = subject.table->columns;
  query::QueryArguments totals{.grouped = true, .aggregates = {{.fn = query::AggregateFn::kCount}}};
  std::string ratios;
  for (const query::Role& role : collection.roles) {
    const std::string name = role_column(collection, columns, role.name);
    const Result<const engine::Field*> column = query::find_column(columns, name);
    if (!column.ok() || !engine::is_number((*column)->type.id)) continue;
    const std::optional<query::RatioOfSums> ratio = query::ratio_of_sums(collection, columns, name);
    if (!ratio) {
      add_sum(totals, name);
      continue;
    }
    add_sum(totals, ratio->numerator);
    add_sum(totals, ratio->denominator);
    ratios += fmt::format(", {} / nullif({}, 0) AS {}", sum_column(ratio->numerator),
                          sum_column(ratio->denominator), engine::quote_name(role.name));
  }
  SLUICE_TRY(expression::Question question,
             query::compile(totals, *subject.table, collection, subject.guard));
  if (ratios.empty()) return question;
  expression::replace_sql(question, fmt::format("SELECT *{} FROM ({})", ratios, question.sql));
  return question;
}

// A few numbers that are safe to begin with: rows, the totals of the columns that have a role, the published
// totals.
Result<std::string> summary_json(const DatasetTools& tools, const Subject& subject,
                                 catalog::Context& context) {
  const query::Dataset& dataset = *subject.dataset;
  SLUICE_TRY(const expression::Question question, totals_question(subject));
  SLUICE_TRY(const query::Relation relation, dataset.open(*subject.table, limits_of(context), &question));
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows,
             subject.engine->query(query::statement_of(question, *subject.table, relation, std::nullopt),
                                   limits_of(context)));
  SLUICE_TRY(const engine::Batch* batch, rows->next());
  render::JsonRows row(rows->columns(), {});
  if (batch != nullptr) row.append(*batch);
  json::Writer out;
  out.begin_object();
  write_identity(out, dataset);
  if (!dataset.collection().unit.empty()) out.field("unit", dataset.collection().unit);
  if (!dataset.collection().overall_suffix.empty()) {
    if (const Result<std::string> overall = overall_json(dataset, tools.answer_bytes() / 2); overall.ok()) {
      out.raw_field("overall", *overall);
    }
  }
  out.raw_field("totals", std::move(row).take()).end_object();
  return std::move(out).take();
}

}  // namespace

Result<std::vector<protocol::Resource>> list_resources(const DatasetTools& tools,
                                                       const catalog::ListQuery& query) {
  std::vector<std::pair<std::string, DatasetPtr>> found;
  const query::Inventory inventory = tools.inventory();
  for (const DatasetPtr& dataset : inventory.datasets()) {
    if (!dataset->collection().has_own_resources()) continue;
    std::string uri = dataset->uri("schema");
    if (uri > query.after) found.emplace_back(std::move(uri), dataset);
  }
  const std::size_t wanted = std::min(query.limit, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(wanted), found.end(),
                    [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<protocol::Resource> out;
  for (std::size_t i = 0; i < wanted; ++i) {
    protocol::Resource resource;
    resource.uri = found[i].first;
    resource.name = found[i].second->name();
    resource.description = "Columns, types, roles and sample rows";
    resource.mime_type = "application/json";
    out.push_back(std::move(resource));
  }
  return out;
}

std::vector<protocol::ResourceTemplate> list_templates(const DatasetTools& tools,
                                                       const catalog::ListQuery& query) {
  std::vector<protocol::ResourceTemplate> all;
  const auto add = [&all](std::string uri, std::string name, std::string description, std::string mime_type) {
    protocol::ResourceTemplate one;
    one.uri_template = std::move(uri);
    one.name = std::move(name);
    one.description = std::move(description);
    one.mime_type = std::move(mime_type);
    const auto same = [&](const auto& other) { return other.uri_template == one.uri_template; };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back(std::move(one));
  };
  const query::Inventory inventory = tools.inventory_now();
  for (const auto& collection : inventory.collections()) {
    const std::string& name = collection->name;
    add(collection->scheme_of_handles() + "://handle/{id}/{page}{?format}", name + " handle",
        "A page of a result, counted from 0", "text/csv");
    add(collection->scheme_of_handles() + "://handle/{id}/rows{?format,offset,length}", name + " rows",
        "A range of rows of a result; offset and length in rows", "text/csv");
    add(collection->scheme_of_handles() + "://handle/{id}/file{?format,offset,length}", name + " file",
        "A whole result as one file, csv or parquet; offset and length in bytes", "text/csv");
    if (!collection->has_own_resources()) continue;
    add(template_of(*collection, "schema"), name + " schema", "Columns, types, roles and sample rows",
        "application/json");
    add(template_of(*collection, "catalog"), name + " catalog", "Rows, bytes and last change",
        "application/json");
    add(template_of(*collection, "summary"), name + " summary", "A few totals, safe to begin with",
        "application/json");
    add(template_of(*collection, "full"), name + " rows", "All rows, a bounded page at a time", "text/csv");
    for (const query::Summary& summary : collection->summaries) {
      add(summary_template(*collection, summary), name + " " + summary.name, "A bounded page of rows",
          "text/csv");
    }
  }
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.uri_template < b.uri_template; });
  std::vector<protocol::ResourceTemplate> out;
  for (protocol::ResourceTemplate& one : all) {
    if (one.uri_template > query.after && out.size() < query.limit) out.push_back(std::move(one));
  }
  return out;
}

bool owns_resource(const DatasetTools& tools, const ResourceUri& uri) {
  const std::string_view scheme = scheme_of(uri);
  const query::Inventory inventory = tools.inventory_now();
  return std::any_of(inventory.collections().begin(), inventory.collections().end(),
                     [&](const auto& collection) { return collection->scheme_of_handles() == scheme; });
}

Result<protocol::ReadResult> read_resource(const DatasetTools& tools, const ResourceUri& uri,
                                           catalog::Context& context) {
  const std::string_view rest = rest_of(uri);
  if (rest.starts_with(kHandlePath)) return read_handle(tools, uri, rest, context);
  if (const std::optional<FoundSummary> found = find_summary(tools.inventory(), uri.text())) {
    SLUICE_TRY(const Subject subject, tools.open(found->dataset, context));
    SLUICE_TRY(const expression::Question question, summary_question(subject, *found->summary));
    return read_rows(tools, uri, subject, question, context);
  }
  const std::size_t slash = rest.rfind('/');
  const std::string_view part = slash == std::string_view::npos ? rest : rest.substr(slash + 1);
  const Result<DatasetPtr> dataset = tools.locate(std::string_view(uri.text()));
  if (!dataset.ok() || !(*dataset)->collection().has_own_resources() ||
      std::find(kDatasetParts.begin(), kDatasetParts.end(), part) == kDatasetParts.end()) {
    return protocol::resource_not_found(uri.text());
  }
  if (part == "catalog") return text_contents(uri, "application/json", catalog_entry_json(**dataset));
  SLUICE_TRY(const Subject subject, tools.open(*dataset, context));
  if (part == "full") {
    return read_rows(tools, uri, subject, {.sql = "SELECT * FROM data", .keeps_rows = true}, context);
  }
  if (part == "summary") {
    SLUICE_TRY(std::string text, summary_json(tools, subject, context));
    return text_contents(uri, "application/json", std::move(text));
  }
  SLUICE_TRY(std::string text, schema_json(tools, subject, 0, context));
  return text_contents(uri, "application/json", std::move(text));
}

}  // namespace sluice::datasets
