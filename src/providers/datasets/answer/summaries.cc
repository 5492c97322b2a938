#include "answer/summaries.h"

#include <fmt/format.h>

#include "sluice/base/uri.h"

namespace sluice::datasets {

namespace {

using query::Collection;
using query::Summary;

// The URI of the summary of one dataset; nothing where its dimensions are not the fixed ones.
std::optional<std::string> summary_uri(const query::Dataset& dataset, const Summary& summary) {
  const std::vector<query::Dimension>& dimensions = dataset.collection().dimensions;
  std::string out = dataset.collection().scheme + "://";
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const std::string& value = dataset.identity().dimensions[i];
    const auto fixed = summary.fixed.find(dimensions[i].name);
    if (fixed == summary.fixed.end()) {
      out += percent_encode(value) + "/";
    } else if (fixed->second != value) {
      return std::nullopt;
    }
  }
  return out + summary.name;
}

}  // namespace

std::string summary_template(const Collection& collection, const Summary& summary) {
  std::string out = collection.scheme + "://";
  for (const query::Dimension& dimension : collection.dimensions) {
    if (!summary.fixed.contains(dimension.name)) out += "{" + dimension.name + "}/";
  }
  return out + summary.name;
}

std::optional<FoundSummary> find_summary(const query::Inventory& inventory, std::string_view uri) {
  for (const auto& collection : inventory.collections()) {
    for (const Summary& summary : collection->summaries) {
      if (!uri.ends_with("/" + summary.name)) continue;
      for (const query::DatasetPtr& dataset : inventory.datasets()) {
        if (dataset->collection().name != collection->name) continue;
        if (summary_uri(*dataset, summary) == uri)
          return FoundSummary{.dataset = dataset, .summary = &summary};
      }
    }
  }
  return std::nullopt;
}

Result<expression::Question> summary_question(const Subject& subject, const Summary& summary) {
  if (summary.group_by.empty()) return expression::Question{.sql = "SELECT * FROM data", .keeps_rows = true};
  const std::string measure =
      role_column(subject.dataset->collection(), subject.table->columns, summary.role);
  if (measure.empty()) {
    return not_found(fmt::format("the dataset has no column with the role {}", summary.role))
        .with_code("invalid_column");
  }
  const query::QueryArguments query_arguments{
      .grouped = true,
      .group_by = summary.group_by,
      .aggregates = {{.column = measure, .fn = query::AggregateFn::kSum}}};
  SLUICE_TRY(expression::Question question,
             query::compile(query_arguments, *subject.table, subject.dataset->collection(), subject.guard));
  std::string columns;
  for (const std::string& name : summary.group_by) columns += engine::quote_name(name) + ", ";
  expression::replace_sql(
      question, fmt::format("SELECT {}{} AS {} FROM ({})", columns,
                            engine::quote_name(query::output_name(query_arguments.aggregates.front())),
                            engine::quote_name(summary.total), question.sql));
  return question;
}

}  // namespace sluice::datasets
