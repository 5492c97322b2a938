#include <algorithm>

#include <fmt/format.h>

#include "sluice/query/union_dataset.h"

#include "answer/filter_token.h"
#include "tools/tools.h"

namespace sluice::datasets {

namespace {

constexpr std::size_t kDatasetsMax = 64;

// The datasets that are named, or those whose dimensions are.
Result<std::vector<query::DatasetPtr>> wanted_datasets(const DatasetTools& tools,
                                                       const json::Object& arguments) {
  std::vector<query::DatasetPtr> out;
  if (const json::Value* names = arguments.find("datasets");
      names != nullptr && names->if_array() != nullptr) {
    for (const json::Value& name : *names->if_array()) {
      SLUICE_TRY(query::DatasetPtr dataset, tools.locate(std::string_view(*name.if_string())));
      if (std::find(out.begin(), out.end(), dataset) == out.end()) out.push_back(std::move(dataset));
    }
  } else {
    const query::Inventory inventory = tools.inventory();
    for (const query::DatasetPtr& dataset : inventory.datasets()) {
      if (matches_dimensions(*dataset, arguments)) out.push_back(dataset);
    }
  }
  if (out.empty()) {
    return not_found("no dataset matches")
        .with_code("dataset_not_found")
        .with_hint("get_catalog lists what there is.");
  }
  if (out.size() > kDatasetsMax) {
    return limit_reached("datasets in one call", kDatasetsMax)
        .with_code("too_many_values")
        .with_hint("Name fewer in `datasets`, or narrow the dimensions.");
  }
  return out;
}

}  // namespace

Result<protocol::ToolResult> bulk_filter(const DatasetTools& tools, const json::Object& arguments,
                                         catalog::Context& context) {
  SLUICE_TRY(const std::vector<query::DatasetPtr> datasets, wanted_datasets(tools, arguments));
  Subject subject;
  subject.guard = tools.guard_of(context);
  std::vector<query::UnionDataset::Part> parts;
  for (const query::DatasetPtr& dataset : datasets) {
    SLUICE_TRY(const Subject one, tools.open(dataset, context));
    subject.engine = one.engine;
    parts.push_back({.dataset = dataset, .table = one.table});
  }
  subject.dataset = std::make_shared<const query::UnionDataset>(std::move(parts));
  SLUICE_TRY(query::Table table, subject.dataset->inspect(*subject.engine, limits_of(context)));
  subject.table = std::make_shared<const query::Table>(std::move(table));
  SLUICE_TRY(const query::QueryArguments query_arguments, read_question(tools, arguments, context));
  SLUICE_TRY(expression::Question question,
             query::compile(query_arguments, *subject.table, subject.dataset->collection(), subject.guard));
  return answer_question(tools, subject, std::move(question), arguments, context);
}

}  // namespace sluice::datasets
