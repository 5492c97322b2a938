#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sluice/datasets/table_spellings.h"
#include "sluice/query/registry.h"

#include "lean/table_profile.h"

namespace sluice::datasets::lean {

// Which columns of other tables a column may be joined with: keys in which most of its sampled values occur.
class JoinHints {
 public:
  // Only tables of `inventory` are named.
  JoinHints(std::vector<std::pair<std::string, ProfilePtr>> profiles, const query::Inventory& inventory);

  // "airports.iata 100 %"; empty: there is none, or none is known.
  std::string of(const std::string& dataset, const ColumnProfile& column) const;

 private:
  struct Key {
    std::string dataset;
    const ColumnProfile* column;  // Kept alive by `profiles_`.
  };

  const std::vector<std::pair<std::string, ProfilePtr>> profiles_;
  const TableSpellings spellings_;
  std::vector<Key> keys_;
};

}  // namespace sluice::datasets::lean
