#include "question_tables.h"

#include <algorithm>

#include "sluice/query/collection_dataset.h"
#include "sluice/query/statement_dataset.h"

namespace sluice::query {

const Dataset* table_of_question(const Dataset& dataset, std::string_view name) {
  const auto* statement = dynamic_cast<const StatementDataset*>(&dataset);
  if (statement == nullptr) return name == "data" ? &dataset : nullptr;
  const auto part = std::find_if(statement->parts().begin(), statement->parts().end(),
                                 [&](const StatementDataset::Part& one) { return one.name == name; });
  return part == statement->parts().end() ? nullptr : part->dataset.get();
}

bool reads_database(const Dataset& dataset, const Table& table) {
  const auto* statement = dynamic_cast<const StatementDataset*>(&dataset);
  if (statement == nullptr) return table.layout != nullptr;
  return std::any_of(statement->parts().begin(), statement->parts().end(),
                     [](const StatementDataset::Part& part) { return part.table->layout != nullptr; });
}

namespace {

std::optional<double> rows_at_most(const CollectionDataset& collection) {
  double rows = 0;
  for (const CollectionDataset::Part& part : collection.parts()) {
    const std::optional<double> more = part.has_rows ? rows_at_most(*part.dataset) : std::optional(0.0);
    if (!more) return std::nullopt;
    rows += *more;
  }
  return rows;
}

}  // namespace

std::optional<double> rows_at_most(const Dataset& dataset) {
  constexpr double kGuessFactor = 4;
  if (const auto* collection = dynamic_cast<const CollectionDataset*>(&dataset); collection != nullptr)
    return rows_at_most(*collection);
  const auto rows = static_cast<double>(dataset.row_count());
  switch (dataset.count_state()) {
    case CountState::kExact:
      return rows;
    case CountState::kEstimated:
    case CountState::kGuessed:
      return rows * kGuessFactor;
    case CountState::kPending:
    case CountState::kUnknown:
    case CountState::kFailed:
      break;
  }
  return std::nullopt;
}

}  // namespace sluice::query
