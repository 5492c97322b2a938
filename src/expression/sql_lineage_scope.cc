#include "sql_lineage_scope.h"

#include <algorithm>

namespace sluice::expression {

void add_origins(const Origins& more, Origins& out) {
  for (const auto& [column, how] : more) {
    const auto [at, is_new] = out.emplace(column, how);
    if (!is_new) at->second = std::max(at->second, how);
  }
}

Origins at_least(Origins origins, Derivation how) {
  for (auto& [column, known] : origins) known = std::max(known, how);
  return origins;
}

const LineageColumn* LineageTable::find(const std::string& column) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const auto& one) { return one.name == column; });
  return found == columns.end() ? nullptr : &*found;
}

Origins LineageTable::all() const {
  Origins out;
  for (const LineageColumn& column : columns) add_origins(column.origins, out);
  return at_least(std::move(out), Derivation::kComputed);
}

std::optional<Origins> LineageScope::find(const std::vector<std::string>& parts) const {
  for (const LineageScope* at = this; at != nullptr; at = at->outer) {
    if (std::optional<Origins> found = at->find_here(parts)) return found;
  }
  return std::nullopt;
}

std::optional<Origins> LineageScope::find_here(const std::vector<std::string>& parts) const {
  if (parts.size() > 1) {
    for (const LineageTable& table : tables) {
      if (table.name != parts[0]) continue;
      const LineageColumn* column = table.find(parts[1]);
      if (column != nullptr)
        return parts.size() == 2 ? column->origins : at_least(column->origins, Derivation::kComputed);
      if (table.is_open) return table.all();
    }
  }
  if (parameters.contains(parts[0])) return Origins();
  for (const LineageTable& table : tables) {
    const LineageColumn* column = table.find(parts[0]);
    if (column == nullptr || table.hidden.contains(parts[0])) continue;
    return parts.size() == 1 ? column->origins : at_least(column->origins, Derivation::kComputed);
  }
  if (const auto alias = aliases.find(parts[0]); alias != aliases.end()) return alias->second;
  for (const LineageTable& table : tables) {
    if (table.is_open || table.name == parts[0]) return table.all();
  }
  return std::nullopt;
}

const LineageColumns* LineageScope::find_with(const std::string& name) const {
  for (const LineageScope* at = this; at != nullptr; at = at->outer) {
    const auto found = at->with.find(name);
    if (found != at->with.end()) return &found->second;
  }
  return nullptr;
}

}  // namespace sluice::expression
