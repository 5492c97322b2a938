#include "lean/join_hints.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

namespace sluice::datasets::lean {

namespace {

constexpr std::size_t kSampleMin = 3;
constexpr int kPercentMin = 60;

// Numbers from 1 on occur in every column of numbers: there the names have to agree as well.
bool names_agree(const ColumnProfile& column, const std::string& dataset, const ColumnProfile& key) {
  const std::string own = to_lower_ascii(column.path);
  const std::string other = to_lower_ascii(key.path);
  if (own == other) return own != "id";
  std::string table = to_lower_ascii(dataset.substr(dataset.rfind('/') + 1));
  if (table.ends_with('s')) table.pop_back();
  return own == table + "_" + other || own == table + other;
}

int percent_found(const ColumnProfile& column, const ColumnProfile& key) {
  const auto found = std::count_if(column.sample.begin(), column.sample.end(), [&](std::uint64_t value) {
    return std::binary_search(key.key_set.begin(), key.key_set.end(), value);
  });
  return static_cast<int>(found * 100 / static_cast<std::ptrdiff_t>(column.sample.size()));
}

}  // namespace

JoinHints::JoinHints(std::vector<std::pair<std::string, ProfilePtr>> profiles,
                     const query::Inventory& inventory)
    : profiles_(std::move(profiles)), spellings_(inventory) {
  for (const auto& [name, profile] : profiles_) {
    if (!inventory.find(name)) continue;
    for (const ColumnProfile& column : profile->columns) {
      if (column.is_key) keys_.push_back({.dataset = name, .column = &column});
    }
  }
}

std::string JoinHints::of(const std::string& dataset, const ColumnProfile& column) const {
  if (column.sample.size() < kSampleMin) return "";
  const Key* best = nullptr;
  int best_percent = kPercentMin - 1;
  for (const Key& key : keys_) {
    const bool is_own = key.dataset == dataset;
    const bool is_same_kind = engine::is_integer(key.column->type.id) == engine::is_integer(column.type.id);
    if (is_own || !is_same_kind) continue;
    if (engine::is_integer(column.type.id) && !names_agree(column, key.dataset, *key.column)) continue;
    const int percent = percent_found(column, *key.column);
    if (percent > best_percent) {
      best = &key;
      best_percent = percent;
    }
  }
  if (best == nullptr) return "";
  return fmt::format("{}.{} {} %", spellings_.of(best->dataset), best->column->path, best_percent);
}

}  // namespace sluice::datasets::lean
