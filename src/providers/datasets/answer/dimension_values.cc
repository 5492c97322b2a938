#include "answer/dimension_values.h"

#include <charconv>
#include <cstdint>
#include <set>

#include <fmt/format.h>

#include "sluice/base/text.h"

namespace sluice::datasets {

namespace {

constexpr std::size_t kValuesListed = 12;

// The values of one dimension over all collections that have it. Not sorted by number; stops at `most`.
std::set<std::string> distinct_values_of(const query::Inventory& inventory, const query::Dimension& dimension,
                                         std::size_t most) {
  std::set<std::string> out;
  for (const query::DatasetPtr& dataset : inventory.datasets()) {
    const std::vector<query::Dimension>& known = dataset->collection().dimensions;
    for (std::size_t i = 0; i < known.size() && i < dataset->identity().dimensions.size(); ++i) {
      if (known[i].name == dimension.name) out.insert(dataset->identity().dimensions[i]);
    }
    if (out.size() > most) break;
  }
  return out;
}

std::set<std::int64_t> numbers_of(const std::set<std::string>& texts) {
  std::set<std::int64_t> out;
  for (const std::string& text : texts) {
    std::int64_t number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec == std::errc{}) out.insert(number);
  }
  return out;
}

}  // namespace

std::string dimension_values(const query::Inventory& inventory, const query::Dimension& dimension) {
  const std::set<std::string> texts = distinct_values_of(inventory, dimension, kValuesListed);
  if (texts.empty() || texts.size() > kValuesListed) return {};
  std::string out;
  if (!dimension.is_integer) {
    for (const std::string& text : texts) (out += out.empty() ? "" : ", ") += excerpt(text);
    return out;
  }
  const std::set<std::int64_t> numbers = numbers_of(texts);
  if (numbers.size() > 2 &&
      *numbers.rbegin() - *numbers.begin() == static_cast<std::int64_t>(numbers.size()) - 1)
    return fmt::format("{} to {}", *numbers.begin(), *numbers.rbegin());
  return fmt::format("{}", fmt::join(numbers, ", "));
}

}  // namespace sluice::datasets
