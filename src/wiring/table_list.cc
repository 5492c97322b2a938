#include "table_list.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/clock.h"
#include "sluice/base/text.h"
#include "sluice/datasets/sql_spelling.h"
#include "sluice/datasets/table_spellings.h"
#include "sluice/text/display.h"

namespace sluice::wiring {

namespace {

constexpr std::size_t kTablesMax = 12;
constexpr std::size_t kShownNameBytesMax =
    40;  // A longer name may be a sentence, and a model would read it as one.
constexpr std::uint64_t kFileBytesMax = 16'000'000;  // Finding the columns of a file of text reads all of it.
constexpr std::size_t kListBytesMax = 220;  // About 70 tokens, which the definitions of the lean tools leave.
constexpr std::chrono::milliseconds kInspectionWait{2'000};
constexpr std::chrono::milliseconds kCountWait{100};

bool can_be_shown(const std::string& name) {
  return !name.empty() && name.size() <= kShownNameBytesMax && encode_controls(name) == name;
}

std::string rows_of(const query::Dataset& dataset) {
  switch (dataset.count_state()) {
    case query::CountState::kExact:
      return text::grouped(dataset.row_count());
    case query::CountState::kEstimated:
    case query::CountState::kGuessed:
      return "~" + text::grouped(dataset.row_count());
    case query::CountState::kPending:
    case query::CountState::kUnknown:
    case query::CountState::kFailed:
      return {};
  }
  return {};
}

bool is_cheap_to_inspect(const query::Dataset& dataset) {
  return dataset.identity().bytes <= kFileBytesMax || dataset.identity().path.ends_with(".parquet");
}

std::string lines_of(const std::vector<ListedTable>& tables, bool with_columns) {
  std::string out = "Tables:";
  for (const ListedTable& table : tables) {
    out += "\n" + table.name;
    if (!table.rows.empty()) out += fmt::format(" ({} {})", table.rows, table.rows == "1" ? "row" : "rows");
    const bool can_show = with_columns && !table.columns.empty() &&
                          std::all_of(table.columns.begin(), table.columns.end(), can_be_shown);
    if (!can_show) continue;
    std::string columns;
    for (const std::string& column : table.columns) columns += (columns.empty() ? "" : ", ") + column;
    out += ": " + columns;
  }
  return out;
}

}  // namespace

std::string list_in_instructions(const std::vector<ListedTable>& tables, std::size_t bytes_max) {
  const bool can_show =
      !tables.empty() && std::all_of(tables.begin(), tables.end(),
                                     [](const ListedTable& one) { return can_be_shown(one.name); });
  if (!can_show) return {};
  for (const bool with_columns : {true, false}) {
    std::string lines = lines_of(tables, with_columns);
    if (lines.size() <= bytes_max) return lines;
  }
  return {};
}

TableList::TableList(Sources sources) : sources_(std::move(sources)) {
  listening_ = sources_.registry.listen([this](const query::InventoryChange&) {
    {
      const MutexLock lock(mutex_);
      ++change_;
    }
    changed_.notify_all();
  });
  thread_ = BackgroundThread("table-list", [this](const std::stop_token& stop) { run(stop); });
}

TableList::~TableList() { sources_.registry.unlisten(listening_); }

void TableList::run(const std::stop_token& stop) {
  if (sources_.ready.valid()) sources_.ready.wait();
  MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    const std::uint64_t change = change_;
    lock.unlock();
    std::vector<Entry> entries = look(stop);
    lock.lock();
    entries_ = std::move(entries);
    looked_at_ = change;
    changed_.notify_all();
    changed_.wait(mutex_, stop, [&]() SLUICE_REQUIRES(mutex_) { return change_ != looked_at_; });
  }
}

std::vector<TableList::Entry> TableList::look(const std::stop_token& stop) const {
  std::vector<Entry> out;
  const query::Inventory inventory = sources_.registry.inventory();
  if (inventory.size() > kTablesMax) return out;
  const datasets::TableSpellings spellings(inventory);
  const Result<std::shared_ptr<engine::Engine>> engine = sources_.engines.get();
  for (const query::DatasetPtr& dataset : inventory.datasets()) {
    if (stop.stop_requested()) return {};
    Entry& entry =
        out.emplace_back(Entry{.dataset = dataset, .name = spellings.of(dataset->name()), .columns = {}});
    dataset->count_quickly(system_clock().now() + kCountWait);
    if (!engine.ok() || !is_cheap_to_inspect(*dataset)) continue;
    const Result<std::shared_ptr<const query::Table>> table = sources_.tables.get(
        **engine, *dataset, {.deadline = system_clock().now() + kInspectionWait, .stop = stop});
    if (!table.ok()) continue;
    for (const engine::Field& column : (*table)->columns)
      entry.columns.push_back(datasets::sql_spelling(column.name));
  }
  return out;
}

void TableList::wait(std::chrono::milliseconds bound) const {
  const MutexLock lock(mutex_);
  changed_.wait_for(mutex_, bound, [&]() SLUICE_REQUIRES(mutex_) { return looked_at_ != 0; });
}

std::string TableList::text() const {
  std::vector<ListedTable> tables;
  const MutexLock lock(mutex_);
  for (const Entry& entry : entries_) {
    tables.push_back({.name = entry.name, .rows = rows_of(*entry.dataset), .columns = entry.columns});
  }
  return list_in_instructions(tables, kListBytesMax);
}

}  // namespace sluice::wiring
