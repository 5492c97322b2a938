#include "schema_unique.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "schema_number.h"

namespace sluice::json {
namespace {

// Equal values have equal hashes, whatever the order of keys and the spelling of numbers.
std::size_t hash_of(const Value& value, std::size_t& steps) {
  ++steps;
  const auto kind = static_cast<std::size_t>(value.type()) * 0x9e3779b97f4a7c15ULL;
  switch (value.type()) {
    case Type::kNull:
      return kind;
    case Type::kBool:
      return kind + (*value.if_bool() ? 1 : 0);
    case Type::kNumber:
      return kind ^ ExactNumber(*value.if_number()).hash();
    case Type::kString:
      return kind ^ std::hash<std::string>{}(*value.if_string());
    case Type::kArray: {
      std::size_t hash = kind;
      for (const Value& item : *value.if_array()) hash = hash * 31 + hash_of(item, steps);
      return hash;
    }
    case Type::kObject: {
      std::size_t hash = kind;
      for (const Member& member : *value.if_object()) {
        hash += (std::hash<std::string>{}(member.key) * 31) ^ hash_of(member.value, steps);
      }
      return hash;
    }
  }
  return kind;
}

std::size_t weight(const Value& value) {
  if (const Array* array = value.if_array()) return 1 + array->size();
  if (const Object* object = value.if_object()) return 1 + object->size();
  return 1;
}

}  // namespace

EqualItems find_equal_items(const Array& items, std::size_t steps_max) {
  EqualItems result;
  if (items.size() < 2) return result;
  std::vector<std::pair<std::size_t, std::size_t>> places;  // Hash, then index.
  places.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) places.emplace_back(hash_of(items[i], result.steps), i);
  std::sort(places.begin(), places.end());
  // A sender may aim for equal hashes of different items, so each comparison is paid for.
  for (std::size_t i = 1; i < places.size(); ++i) {
    for (std::size_t k = i; k > 0 && places[k - 1].first == places[i].first; --k) {
      const auto [first, second] = std::minmax(places[k - 1].second, places[i].second);
      result.steps += weight(items[first]);
      if (result.steps > steps_max) return result;
      if (equal(items[first], items[second])) {
        result.pair = {first, second};
        return result;
      }
    }
  }
  return result;
}

}  // namespace sluice::json
