#pragma once

#include <string>
#include <vector>

#include "dataset_tools.h"

// What prompts say about the columns that datasets really have. The tables are looked at within a bounded
// time; what cannot be read is left out.
namespace sluice::datasets {

// The dataset that examples are about: the newest one, of the first variant if the collection has any. Null
// if there is no dataset.
query::DatasetPtr example_dataset(const query::Inventory& inventory);

// Columns of a dataset for examples: to group by, to search for words in, and to sum. Placeholders in
// capitals if there is no such column.
struct ExampleColumns {
  std::string group = "COLUMN";
  std::string text = "COLUMN";
  std::string amount = "AMOUNT";
};
ExampleColumns example_columns(const DatasetTools& tools, const query::DatasetPtr& dataset);

// For each kind of dataset of a collection a line such as "- BUDGET_LAW: allocated is subprogram_total".
std::vector<std::string> role_lines(const DatasetTools& tools, const query::Inventory& inventory,
                                    const query::Collection& collection);

}  // namespace sluice::datasets
