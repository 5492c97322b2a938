#include "sluice/datasets/table_spellings.h"

#include <algorithm>

#include "sluice/base/text.h"
#include "sluice/datasets/sql_spelling.h"
#include "sluice/engine/sql.h"

namespace sluice::datasets {

namespace {

bool is_replaced(char c) { return c == '-' || c == '.' || c == ' '; }

// The parts between slashes as schemas and a table, each without quotes. Empty: SQL cannot write it so.
std::string dotted(std::string_view name) {
  std::string out;
  while (true) {
    const std::size_t slash = name.find('/');
    std::string part(name.substr(0, slash));
    std::replace_if(part.begin(), part.end(), is_replaced, '_');
    if (sql_spelling(part) != part ||
        (out.empty() && slash != std::string_view::npos && equal_ignoring_case(part, "handle")))
      return {};
    out += (out.empty() ? "" : ".") + part;
    if (slash == std::string_view::npos) return out;
    name.remove_prefix(slash + 1);
  }
}

}  // namespace

std::string folded_name(std::string_view name) {
  std::string out = to_lower_ascii(name);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return is_replaced(c) || c == '/'; }, '_');
  return out;
}

std::string_view last_part(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

TableSpellings::TableSpellings(const query::Inventory& inventory) {
  for (const query::DatasetPtr& dataset : inventory.datasets()) {
    ++uses_[folded_name(dataset->name())];
    const std::string_view last = last_part(dataset->name());
    if (last != dataset->name()) ++uses_[folded_name(last)];
  }
  for (const auto& collection : inventory.collections()) {
    if (!collection->dimensions.empty()) ++uses_[folded_name(collection->name)];
  }
}

std::string TableSpellings::of(std::string_view name) const {
  std::string plain = dotted(name);
  const bool is_as_written = std::none_of(name.begin(), name.end(), is_replaced);
  const auto found = uses_.find(folded_name(name));
  const bool is_only = found != uses_.end() && found->second == 1;
  return !plain.empty() && (is_as_written || is_only) ? plain : engine::quote_name(name);
}

}  // namespace sluice::datasets
