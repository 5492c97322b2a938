#include "lean/table_list.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <set>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/datasets/sql_spelling.h"
#include "sluice/datasets/table_spellings.h"
#include "sluice/json/reader.h"

namespace sluice::datasets::lean {

namespace {

using query::DatasetPtr;

constexpr std::size_t kInspectedMax = 1'000;
constexpr std::size_t kColumnsListed = 60;
constexpr std::size_t kDimensionValues = 12;
constexpr std::size_t kDescriptionBytes = 200;
constexpr std::size_t kSmallTables = 100;
constexpr std::uint64_t kSmallTableBytes = std::uint64_t{16} << 20U;

// Of a file that nobody has looked at, by its size.
std::uint64_t guessed_rows(const query::Dataset& dataset) {
  constexpr std::uint64_t kRowBytes = 100;
  constexpr std::uint64_t kCompressedRowBytes = 25;
  const std::string& path = dataset.identity().path;
  const bool is_plain = !path.ends_with(".parquet") && !path.ends_with(".gz") && !path.ends_with(".zst");
  return std::max<std::uint64_t>(1, dataset.identity().bytes / (is_plain ? kRowBytes : kCompressedRowBytes));
}

bool is_file_without_count(const query::Dataset& dataset) {
  const bool is_unknown = dataset.count_state() == query::CountState::kPending ||
                          dataset.count_state() == query::CountState::kUnknown;
  return is_unknown && dataset.identity().bytes > 0;
}

// "2019..2025" for numbers, "A|B|C" for few texts.
std::string values_word(std::set<std::string> values, bool is_integer) {
  if (values.empty()) return "";
  if (is_integer && values.size() > 2) {
    const auto number = [](const std::string& text) {
      std::int64_t out = 0;
      std::from_chars(text.data(), text.data() + text.size(), out);
      return out;
    };
    const auto [least, most] = std::minmax_element(
        values.begin(), values.end(), [&](const auto& a, const auto& b) { return number(a) < number(b); });
    return fmt::format("{}..{}", *least, *most);
  }
  std::string out;
  std::size_t count = 0;
  for (const std::string& value : values) {
    if (++count > kDimensionValues) return out + "|…";
    out += (out.empty() ? "" : "|") + excerpt(value);
  }
  return out;
}

std::string dimensions_word(const query::Collection& collection, const std::vector<DatasetPtr>& datasets) {
  std::string out;
  for (std::size_t i = 0; i < collection.dimensions.size(); ++i) {
    std::set<std::string> values;
    for (const DatasetPtr& dataset : datasets) values.insert(dataset->identity().dimensions[i]);
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", sql_spelling(collection.dimensions[i].name),
                       values_word(std::move(values), collection.dimensions[i].is_integer));
  }
  return out;
}

// The description that a card beside the data gives; empty: there is none.
std::string card_description(const query::Dataset& dataset) {
  const Result<std::string> card = dataset.read_beside(".schema.json");
  if (!card.ok()) return "";
  const Result<json::Value> read = json::read(*card, {.bytes_max = std::size_t{256} << 10U});
  if (!read.ok() || read->if_object() == nullptr) return "";
  const json::Value* text = read->if_object()->find("description");
  return text != nullptr && text->if_string() != nullptr ? excerpt(*text->if_string(), kDescriptionBytes)
                                                         : "";
}

// Looks at tables until its time is over.
class Inspector {
 public:
  Inspector(const DatasetTools& tools, const catalog::Context& context)
      : dataset_tools_(tools), limits_(limits_of(context)) {
    limits_.deadline = std::min(limits_.deadline, system_clock().now() + tools.services().columns_wait);
  }

  void inspect(const DatasetPtr& dataset, TableEntry& entry) {
    if (++inspected_ > kInspectedMax || is_over_) {
      entry.is_pending = true;
      return;
    }
    const Result<std::shared_ptr<engine::Engine>> engine = dataset_tools_.services().engines->get();
    if (!engine.ok()) return;
    const Result<std::shared_ptr<const query::Table>> table =
        dataset_tools_.services().tables->get(**engine, *dataset, limits_);
    if (!table.ok()) {
      is_over_ = table.error().kind == ErrorKind::kDeadline || table.error().kind == ErrorKind::kCancelled;
      entry.is_pending = is_over_;
      if (!is_over_) entry.problem = excerpt(table.error().message);
      return;
    }
    for (ColumnProfile& column : column_paths((*table)->columns)) {
      const bool is_known = std::any_of(entry.columns.begin(), entry.columns.end(),
                                        [&](const ColumnProfile& one) { return one.path == column.path; });
      if (!is_known) entry.columns.push_back(std::move(column));
    }
  }

 private:
  const DatasetTools& dataset_tools_;
  engine::RunLimits limits_;
  std::size_t inspected_ = 0;
  bool is_over_ = false;
};

TableEntry entry_of(const DatasetPtr& dataset, const TableSpellings& spellings, Inspector& inspector) {
  TableEntry out;
  out.name = spellings.of(dataset->name());
  out.full_name = dataset->name();
  out.rows = rows_word(*dataset);
  inspector.inspect(dataset, out);
  out.description = card_description(*dataset);
  if (out.problem.empty()) out.problem = excerpt(dataset->count_error());
  return out;
}

TableEntry entry_of(const query::Collection& collection, const std::vector<DatasetPtr>& datasets,
                    const TableSpellings& spellings, Inspector& inspector) {
  TableEntry out;
  out.name = spellings.of(collection.name);
  out.full_name = collection.name;
  std::uint64_t rows = 0;
  bool is_exact = true;
  for (const DatasetPtr& dataset : datasets) {
    is_exact = is_exact && dataset->count_state() == query::CountState::kExact;
    rows += is_file_without_count(*dataset) ? guessed_rows(*dataset) : dataset->row_count();
    inspector.inspect(dataset, out);
  }
  out.rows = (is_exact ? "" : "~") + std::to_string(rows);
  out.dimensions = dimensions_word(collection, datasets);
  out.description = excerpt(collection.description, kDescriptionBytes);
  return out;
}

}  // namespace

std::string typed_path(const ColumnProfile& column) {
  const std::string type = type_word(column.type);
  return type == "text" ? column.path : column.path + " " + type;
}

std::string rows_word(const query::Dataset& dataset) {
  if (is_file_without_count(dataset)) return "~" + std::to_string(guessed_rows(dataset));
  switch (dataset.count_state()) {
    case query::CountState::kExact:
      return std::to_string(dataset.row_count());
    case query::CountState::kEstimated:
    case query::CountState::kGuessed:
      return "~" + std::to_string(dataset.row_count());
    case query::CountState::kPending:
    case query::CountState::kUnknown:
    case query::CountState::kFailed:
      return "?";
  }
  return "?";
}

std::string line_of(const TableEntry& entry, Detail detail) {
  std::string out = entry.name + " " + entry.rows;
  if (!entry.dimensions.empty()) out += " (" + entry.dimensions + ")";
  if (!entry.problem.empty()) return out + " unreadable: " + entry.problem;
  if (detail == Detail::kName) return out;
  for (std::size_t i = 0; i < entry.columns.size(); ++i) {
    if (i == kColumnsListed) {
      out += fmt::format(", … {} more", entry.columns.size() - i);
      break;
    }
    out += i == 0 ? ": " : ", ";
    out += detail == Detail::kColumns ? entry.columns[i].path : typed_path(entry.columns[i]);
  }
  if (detail == Detail::kDescription && !entry.description.empty()) out += " -- " + entry.description;
  return out;
}

std::vector<TableEntry> table_entries(const DatasetTools& tools, const query::Inventory& inventory,
                                      const catalog::Context& context) {
  Inspector inspector(tools, context);
  const TableSpellings spellings(inventory);
  const Monotonic counted_by = system_clock().now() + kCountTime;
  std::map<const query::Collection*, std::vector<DatasetPtr>> members;
  std::vector<TableEntry> out;
  std::size_t counted = 0;
  for (const DatasetPtr& dataset : inventory.datasets()) {
    if (++counted <= kInspectedMax) dataset->count_quickly(counted_by);
    if (dataset->collection().dimensions.empty() || !dataset->collection().is_uniform) {
      out.push_back(entry_of(dataset, spellings, inspector));
    } else {
      members[&dataset->collection()].push_back(dataset);
    }
  }
  for (const auto& [collection, datasets] : members)
    out.push_back(entry_of(*collection, datasets, spellings, inspector));
  std::stable_sort(out.begin(), out.end(),
                   [](const TableEntry& a, const TableEntry& b) { return a.name < b.name; });
  return out;
}

std::vector<DatasetPtr> small_tables(const query::Inventory& inventory) {
  std::vector<DatasetPtr> out;
  for (const DatasetPtr& dataset : inventory.datasets()) {
    if (out.size() == kSmallTables) break;
    if (dataset->identity().bytes > 0 && dataset->identity().bytes <= kSmallTableBytes)
      out.push_back(dataset);
  }
  return out;
}

std::uint64_t tokens_of_call(const DatasetTools& tools, const json::Object& arguments, std::uint64_t usual) {
  const std::uint64_t ceiling = tools.services().limits.ceiling.tokens;
  const json::Value* value = arguments.find("max_tokens");
  const json::Number* number = value == nullptr ? nullptr : value->if_number();
  if (number == nullptr) return std::min(usual, ceiling);
  const std::int64_t asked = std::max<std::int64_t>(1, number->as_int64().value_or(1));
  return std::min(static_cast<std::uint64_t>(asked), ceiling);
}

}  // namespace sluice::datasets::lean
