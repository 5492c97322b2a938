#include "lean/collection_table.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/datasets/sql_spelling.h"
#include "sluice/engine/sql.h"
#include "sluice/fs/open_files.h"

namespace sluice::datasets::lean {

namespace {

using query::DatasetPtr;

constexpr std::uint64_t kOpenFilesPart = 8;  // One statement opens at most an eighth of what the process may.
constexpr std::size_t kDatabaseTablesMax = 64;  // Tables of a database, each of which is a query of its own.

std::size_t files_max(const query::Dataset& example) {
  if (example.identity().path.empty()) return kDatabaseTablesMax;
  return static_cast<std::size_t>(
      std::clamp<std::uint64_t>(fs::open_files_max() / kOpenFilesPart, 1, kCollectionFilesMax));
}

// The dimension that tells the most files apart, with one of its values.
std::string example_condition(const std::vector<DatasetPtr>& files) {
  const std::vector<query::Dimension>& dimensions = files.front()->collection().dimensions;
  std::size_t best = 0;
  std::size_t most = 0;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    std::set<std::string_view> values;
    for (const DatasetPtr& file : files) values.insert(file->identity().dimensions[i]);
    if (values.size() > most) best = i;
    most = std::max(most, values.size());
  }
  const std::string& value = files.back()->identity().dimensions[best];
  return fmt::format("{} = {}", sql_spelling(dimensions[best].name),
                     dimensions[best].is_integer ? value : engine::quote_text(excerpt(value)));
}

Error too_many_files(const std::vector<DatasetPtr>& kept, std::size_t limit) {
  std::string names;
  for (const query::Dimension& one : kept.front()->collection().dimensions)
    names += (names.empty() ? "" : ", ") + sql_spelling(one.name);
  return limit_reached(
             fmt::format("files of collection {} in one statement", excerpt(kept.front()->collection().name)),
             limit)
      .with_code("too_many_files")
      .with_hint(
          fmt::format("{} files match. Filter by {}: WHERE {}", kept.size(), names, example_condition(kept)));
}

}  // namespace

Result<CollectionTable> read_collection(const CollectionReader& reader,
                                        const std::shared_ptr<const query::Collection>& collection,
                                        const expression::ScanFilters& filters) {
  std::vector<DatasetPtr> kept;
  std::vector<DatasetPtr> others;
  for (const DatasetPtr& dataset : reader.inventory.datasets()) {
    if (dataset->identity().collection != collection) continue;
    const bool is_kept = filters.empty() || expression::can_pass(filters, query::dimension_values(*dataset));
    (is_kept ? kept : others).push_back(dataset);
  }
  log::debug("collection.files",
             {{"collection", collection->name}, {"kept", kept.size()}, {"all", kept.size() + others.size()}});
  if (kept.empty() && others.empty()) return CollectionTable{};
  const std::size_t limit = files_max(kept.empty() ? *others.front() : *kept.front());
  if (kept.size() > limit) return too_many_files(kept, limit);
  std::vector<query::CollectionDataset::Part> parts;
  const auto add = [&](const DatasetPtr& dataset, bool has_rows) -> Status {
    SLUICE_TRY(std::shared_ptr<const query::Table> table,
               reader.tools.services().tables->get(reader.engine, *dataset, limits_of(reader.context)));
    parts.push_back({.dataset = dataset, .table = std::move(table), .has_rows = has_rows});
    return {};
  };
  for (const DatasetPtr& dataset : kept) SLUICE_CHECK(add(dataset, true));
  if (kept.empty()) SLUICE_CHECK(add(others.front(), false));
  if (reader.columns == ColumnsOf::kAllFiles && kept.size() + others.size() <= limit) {
    for (const DatasetPtr& dataset : others)
      (void)add(dataset, false);  // What cannot be read has no columns that the statement could mean.
  }
  return CollectionTable{.dataset = std::make_shared<const query::CollectionDataset>(std::move(parts)),
                         .leaves_out_files = !others.empty()};
}

}  // namespace sluice::datasets::lean
