#pragma once

#include <map>
#include <string>
#include <string_view>

#include "sluice/query/registry.h"

namespace sluice::datasets {

// A name in lower case, with `_` for `-`, `.`, `/` and blanks: what names of tables are compared by if no
// table has the name as it is written.
std::string folded_name(std::string_view name);
// The name behind its last slash.
std::string_view last_part(std::string_view name);

// How SQL writes the tables of a server: without quotes where possible, air-ports.2024 as air_ports_2024 if
// no other table can be written so. It belongs to a call.
class TableSpellings {
 public:
  explicit TableSpellings(const query::Inventory& inventory);

  // Of a dataset or a collection of the inventory.
  std::string of(std::string_view name) const;

 private:
  std::map<std::string, int, std::less<>> uses_;  // Of names, folded: by how many tables.
};

}  // namespace sluice::datasets
