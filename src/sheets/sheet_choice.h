#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace sluice::sheets {

// Leaves out the sheets without values, which applications add to new workbooks, unless all are.
class SheetChoice {
 public:
  void add(std::string name, bool has_values) { sheets_.emplace_back(std::move(name), has_values); }

  // The places of the sheets that stay, among all that were added.
  std::vector<std::size_t> chosen() const {
    std::vector<std::size_t> with_values;
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < sheets_.size(); ++i) {
      all.push_back(i);
      if (sheets_[i].second) with_values.push_back(i);
    }
    return with_values.empty() ? all : with_values;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const std::size_t place : chosen()) out.push_back(sheets_[place].first);
    return out;
  }

 private:
  std::vector<std::pair<std::string, bool>> sheets_;  // Names, and whether they have values.
};

}  // namespace sluice::sheets
