#include "lean/table_finder.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/datasets/result_names.h"
#include "sluice/datasets/table_spellings.h"
#include "sluice/expression/scan_condition.h"
#include "sluice/query/snapshot_dataset.h"
#include "sluice/query/versioned.h"

namespace sluice::datasets::lean {

namespace {

using query::DatasetPtr;
using query::Inventory;

constexpr std::size_t kSuggestedNames = 5;
constexpr std::size_t kNamesCompared = 10'000;

enum class Match : std::uint8_t { kExact, kAnyCase, kFolded };

bool matches(std::string_view name, std::string_view written, Match match) {
  if (match == Match::kExact) return name == written;
  if (match == Match::kAnyCase) return equal_ignoring_case(name, written);
  return name.size() == written.size() && folded_name(name) == folded_name(written);
}

Error ambiguous(std::string_view written, const std::vector<DatasetPtr>& found) {
  std::string names;
  for (std::size_t i = 0; i < found.size() && i < kSuggestedNames; ++i)
    names += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", excerpt(found[i]->name()));
  return invalid_input(fmt::format("several tables are called {}", excerpt(written)))
      .with_code("ambiguous_table")
      .with_hint(fmt::format("Write one of {}.", names));
}

std::string first_tables(const Inventory& inventory) {
  const TableSpellings spellings(inventory);
  std::string out;
  for (std::size_t i = 0; i < inventory.size() && i < kSuggestedNames; ++i)
    out += (i == 0 ? "" : ", ") + excerpt(spellings.of(inventory.datasets()[i]->name()));
  if (out.empty()) return "There are no tables.";
  return "The tables are " + out + (inventory.size() > kSuggestedNames ? ", …." : ".");
}

// `has_results`: the caller has kept some, whose names may have been meant.
Error no_such_table(const Inventory& inventory, std::string_view written, bool has_results) {
  std::vector<std::string> names;
  for (const DatasetPtr& dataset : inventory.datasets()) {
    if (names.size() == kNamesCompared) break;
    names.push_back(dataset->name());
    if (const std::string_view last = last_part(dataset->name()); last != dataset->name())
      names.emplace_back(last);
  }
  std::string nearest = nearest_name(std::string(written), names);
  // A schema that there is not may stand before a table that there is.
  if (const std::size_t dot = written.rfind('.'); nearest.empty() && dot != std::string_view::npos)
    nearest = nearest_name(std::string(written.substr(dot + 1)), names);
  return not_found(fmt::format("no table is called {}", excerpt(written)))
      .with_code("dataset_not_found")
      .with_hint((nearest.empty() ? first_tables(inventory)
                                  : fmt::format("Did you mean \"{}\"?", excerpt(nearest))) +
                 (has_results ? " Results expire." : ""));
}

std::shared_ptr<const query::Collection> find_collection(const Inventory& inventory,
                                                         std::string_view written) {
  for (const Match match : {Match::kExact, Match::kAnyCase, Match::kFolded}) {
    for (const auto& collection : inventory.collections()) {
      if (!collection->dimensions.empty() && matches(collection->name, written, match)) return collection;
    }
  }
  return nullptr;
}

// Where results belong that no dataset tells of.
std::shared_ptr<const query::Collection> results_collection(const Inventory& inventory) {
  static const auto kResults = [] {
    auto out = std::make_shared<query::Collection>();
    out->name = "results";
    out->scheme = "dataset";
    return out;
  }();
  return inventory.collections().empty() ? kResults : inventory.collections().front();
}

}  // namespace

Result<DatasetPtr> find_dataset(const Inventory& inventory, std::string_view written) {
  if (DatasetPtr found = inventory.find(written)) return found;
  for (const Match match : {Match::kExact, Match::kAnyCase, Match::kFolded}) {
    std::vector<DatasetPtr> whole;
    std::vector<DatasetPtr> last;
    for (const DatasetPtr& dataset : inventory.datasets()) {
      if (matches(dataset->name(), written, match)) whole.push_back(dataset);
      if (matches(last_part(dataset->name()), written, match)) last.push_back(dataset);
    }
    const std::vector<DatasetPtr>& found = whole.empty() ? last : whole;
    if (found.size() > 1) return ambiguous(written, found);
    if (found.size() == 1) return found.front();
  }
  return DatasetPtr();
}

bool is_taken(const Inventory& inventory, std::string_view name) {
  const Result<DatasetPtr> found = find_dataset(inventory, name);
  return !found.ok() || *found != nullptr || find_collection(inventory, name) != nullptr;
}

TableFinder::TableFinder(const DatasetTools& tools, std::shared_ptr<engine::Engine> engine,
                         const catalog::Context& context, const Results* results, ColumnsOf columns)
    : dataset_tools_(tools),
      engine_(std::move(engine)),
      context_(context),
      inventory_(tools.inventory()),
      results_(results),
      columns_(columns) {}

Result<DatasetPtr> TableFinder::result_of(const std::string& name, const std::string& handle) {
  SLUICE_TRY(query::SnapshotPtr snapshot,
             dataset_tools_.services().spool->find(handle, dataset_tools_.caller_of(context_), *engine_));
  return DatasetPtr(std::make_shared<const query::SnapshotDataset>(name, std::move(snapshot),
                                                                   results_collection(inventory_)));
}

Result<DatasetPtr> TableFinder::collection_table(const std::shared_ptr<const query::Collection>& collection,
                                                 const expression::ScanFilters& filters) {
  SLUICE_TRY(CollectionTable table, read_collection({.tools = dataset_tools_,
                                                     .engine = *engine_,
                                                     .context = context_,
                                                     .inventory = inventory_,
                                                     .columns = columns_},
                                                    collection, filters));
  if (!table.dataset) return no_such_table(inventory_, collection->name, false);
  leaves_out_files_ = leaves_out_files_ || table.leaves_out_files;
  return DatasetPtr(std::move(table.dataset));
}

Result<DatasetPtr> TableFinder::locate(const std::vector<std::string>& parts,
                                       const expression::ScanFilters& filters) {
  if (parts.size() == 2 && equal_ignoring_case(parts.front(), "handle"))
    return result_of(parts.back(), parts.back());
  std::string written;
  for (const std::string& part : parts) written += (written.empty() ? "" : "/") + part;
  if (parts.size() == 1) {
    const auto own =
        results_ != nullptr ? results_->find(to_lower_ascii(written)) : Results::const_iterator();
    if (results_ != nullptr && own != results_->end()) return result_of(written, own->second);
    if (const std::optional<std::string> handle =
            dataset_tools_.results().find(dataset_tools_.owner_of(context_), written)) {
      Result<DatasetPtr> kept = result_of(written, *handle);
      // The name of a result that has expired is a name like any other.
      if (kept.ok() || kept.error().kind != ErrorKind::kNotFound) return kept;
    }
  }
  SLUICE_TRY(DatasetPtr found, find_dataset(inventory_, written));
  if (found) return found;
  if (Result<DatasetPtr> by_uri = dataset_tools_.locate(std::string_view(written)); by_uri.ok())
    return by_uri;
  if (const auto collection = find_collection(inventory_, written))
    return collection_table(collection, filters);
  if (parts.size() == 1 && ResultNames::is_automatic(written)) return query::unknown_handle();
  return no_such_table(inventory_, fmt::format("{}", fmt::join(parts, ".")),
                       dataset_tools_.results().has_any(dataset_tools_.owner_of(context_)));
}

Result<DatasetPtr> TableFinder::locate_written(std::string_view written) {
  std::vector<std::string> parts;
  std::string part;
  bool is_quoted = false;
  for (std::size_t i = 0; i < written.size(); ++i) {
    const char c = written[i];
    if (c == '"' && is_quoted && i + 1 < written.size() && written[i + 1] == '"') {
      part += written[++i];
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == '.' && !is_quoted) {
      parts.push_back(std::exchange(part, {}));
    } else {
      part += c;
    }
  }
  parts.push_back(std::move(part));
  // A name such as air-ports.2024 may be given without the quotes that SQL asks for.
  if (Result<DatasetPtr> whole = locate({std::string(written)}, {});
      whole.ok() || parts == std::vector{std::string(written)})
    return whole;
  return locate(parts, {});
}

Result<std::shared_ptr<const query::Table>> TableFinder::table_of(const DatasetPtr& dataset) {
  // The store of tables knows the datasets of the server only, not those of this call.
  if (inventory_.find(dataset->name()) == dataset)
    return dataset_tools_.services().tables->get(*engine_, *dataset, limits_of(context_));
  SLUICE_TRY(query::Table table, dataset->inspect(*engine_, limits_of(context_)));
  return std::make_shared<const query::Table>(std::move(table));
}

Result<const expression::SqlTables::Table*> TableFinder::find(const std::vector<std::string>& parts,
                                                              const expression::ScanFilters& filters) {
  SLUICE_TRY(DatasetPtr dataset, locate(parts, filters));
  return add(std::move(dataset), filters);
}

Result<const expression::SqlTables::Table*> TableFinder::find_version(
    const std::vector<std::string>& parts, std::int64_t version, const expression::ScanFilters& filters) {
  SLUICE_TRY(const DatasetPtr now, locate(parts, filters));
  const auto* versions = dynamic_cast<const query::Versioned*>(now.get());
  if (versions == nullptr) return SqlTables::find_version(parts, version, filters);
  SLUICE_TRY(DatasetPtr then, versions->at_version(version, limits_of(context_)));
  return add(std::move(then), filters);
}

Result<const expression::SqlTables::Table*> TableFinder::add(DatasetPtr dataset,
                                                             const expression::ScanFilters& filters) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const query::Dataset::Identity& known = parts_[i].dataset->identity();
    if (parts_[i].dataset == dataset ||
        (known.name == dataset->name() && known.version == dataset->identity().version &&
         !known.version.empty())) {
      // One reading serves both: it needs the rows of either.
      plan::Condition& filter = parts_[i].filter;
      filter =
          plan::any_of({std::move(filter), expression::scan_condition(filters, parts_[i].table->columns)});
      return &tables_[i];
    }
  }
  SLUICE_TRY(std::shared_ptr<const query::Table> table, table_of(dataset));
  plan::Condition filter = expression::scan_condition(filters, table->columns);
  const std::string name = fmt::format("{}{}", expression::kTablePrefix, tables_.size());
  tables_.push_back({.name = name, .columns = table->columns});
  parts_.push_back({.name = name,
                    .dataset = std::move(dataset),
                    .table = std::move(table),
                    .filter = std::move(filter),
                    .columns = {}});
  return &tables_.back();
}

std::shared_ptr<const query::StatementDataset> TableFinder::dataset(
    const expression::Question& question) const {
  std::vector<query::StatementPart> parts = parts_;
  for (query::StatementPart& part : parts) {
    const auto read = question.columns_read.find(part.name);
    if (read != question.columns_read.end()) part.columns = read->second;
  }
  return std::make_shared<const query::StatementDataset>(
      std::move(parts), results_collection(inventory_),
      query::KeyPush{.engine = engine_,
                     .links = question.key_links,
                     .keys_max = dataset_tools_.services().limits.push_keys,
                     .guard = question.guard});
}

}  // namespace sluice::datasets::lean
