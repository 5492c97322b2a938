#include "lean/explain.h"

#include <optional>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/query/collection_dataset.h"

#include "answer_cache.h"

namespace sluice::datasets::lean {

namespace {

constexpr std::size_t kTablesMax = 32;  // As many as a statement may read.
constexpr std::size_t kFilterBytesMax = 400;

std::string rows_of(const query::Dataset& dataset) {
  switch (dataset.count_state()) {
    case query::CountState::kExact:
      return fmt::format("{} rows", dataset.row_count());
    case query::CountState::kEstimated:
    case query::CountState::kGuessed:
      return fmt::format("~{} rows", dataset.row_count());
    case query::CountState::kPending:
    case query::CountState::kUnknown:
    case query::CountState::kFailed:
      break;
  }
  return "not counted";
}

std::string files_of(const query::Dataset& dataset, const query::Inventory& inventory) {
  const auto* collection = dynamic_cast<const query::CollectionDataset*>(&dataset);
  if (collection == nullptr) return {};
  std::size_t all = 0;
  for (const query::DatasetPtr& one : inventory.datasets())
    all += one->identity().collection == dataset.identity().collection ? 1U : 0U;
  std::size_t read = 0;
  for (const query::CollectionDataset::Part& part : collection->parts()) read += part.has_rows ? 1U : 0U;
  return fmt::format("{} of {} files", read, all);
}

std::string filter_text(const plan::Condition& filter, const plan::Columns& columns) {
  return excerpt(plan::to_text(filter, columns), kFilterBytesMax);
}

std::string size_of(const query::Dataset& dataset, const query::Inventory& inventory) {
  const std::string files = files_of(dataset, inventory);
  return fmt::format("{}: {}", excerpt(dataset.name()), files.empty() ? rows_of(dataset) : files);
}

std::string line_of(const query::StatementDataset::Part& part, const query::Inventory& inventory) {
  const query::Dataset& dataset = *part.dataset;
  std::string out = size_of(dataset, inventory);
  if (part.filter.kind == plan::Condition::Kind::kAlways) return out;
  const plan::Columns& columns = part.table->columns;
  const std::optional<plan::Condition> sent = dataset.source_filter(*part.table, part.filter);
  const std::string needed = filter_text(part.filter, columns);
  if (!sent) return out + "; needs rows with " + needed;
  const std::string there = filter_text(*sent, columns);
  out += "; its database sends rows with " + there;
  return there == needed ? out : out + "; the engine then keeps those with " + needed;
}

}  // namespace

std::string explain(const Desk& desk, const CheckedStatement& statement) {
  const query::Inventory inventory = desk.inventory();
  std::string out = "# nothing was run\n";
  const std::vector<query::StatementDataset::Part>& parts = statement.read->parts();
  const bool is_at_source = statement.read->is_answered_at_source(statement.question);
  for (std::size_t i = 0; i < parts.size() && i < kTablesMax; ++i)
    out += (is_at_source ? size_of(*parts[i].dataset, inventory) : line_of(parts[i], inventory)) + "\n";
  if (is_at_source) {
    out += fmt::format("the database {} computes the whole statement\n",
                       excerpt(parts.front().dataset->collection().name));
  } else if (parts.size() > 1) {
    out += "joined by the engine\n";
  }
  const std::string key = AnswerCache::key_of(*statement.subject.dataset, statement.question);
  if (const auto known = desk.answers().find_estimate(key)) {
    out += fmt::format("answer: {} rows ({})\n", known->rows, query::to_string(known->kind));
  } else if (statement.question.rows_max) {
    out += fmt::format("answer: at most {} rows\n", *statement.question.rows_max);
  }
  return out;
}

}  // namespace sluice::datasets::lean
