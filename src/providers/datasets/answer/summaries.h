#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dataset_tools.h"

namespace sluice::datasets {

// {scheme}://{year}/state-bodies-summary
std::string summary_template(const query::Collection& collection, const query::Summary& summary);

// The summary and the dataset that a URI means, or nothing.
struct FoundSummary {
  query::DatasetPtr dataset;
  const query::Summary* summary = nullptr;  // Part of the dataset's collection.
};
std::optional<FoundSummary> find_summary(const query::Inventory& inventory, std::string_view uri);

// All rows where the summary has no groups, else the sums of its role.
Result<expression::Question> summary_question(const Subject& subject, const query::Summary& summary);

}  // namespace sluice::datasets
