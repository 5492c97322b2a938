#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "schema_unique.h"
#include "schema_validator.h"

namespace sluice::json {

bool SchemaValidator::check_array(const SchemaNode& node, const Array& items, const Cursor& at) {
  const ArrayRules& rules = node.array;
  bool ok = true;
  if (!rules.size.contains(items.size())) {
    ok = fail(at, [&] { return wrong_count(rules.size, items.size(), "have", "item"); });
  }
  if (go_on(ok)) ok = check_items(node, items, at) && ok;
  if (rules.contains != kNone && go_on(ok)) ok = check_contains(node, items, at) && ok;
  if (rules.unique && go_on(ok)) ok = check_unique(items, at) && ok;
  return ok;
}

bool SchemaValidator::check_items(const SchemaNode& node, const Array& items, const Cursor& at) {
  const ArrayRules& rules = node.array;
  const std::size_t prefix = rules.prefix_items.size();
  bool ok = true;
  if (rules.items != kNone && program_.nodes[rules.items].never && items.size() > prefix) {
    const CountRange range{.min = 0, .max = prefix};
    ok = fail(at, [&] { return wrong_count(range, items.size(), "have", "item"); });
  }
  const std::size_t checked = ok && rules.items != kNone ? items.size() : std::min(prefix, items.size());
  for (std::size_t i = 0; i < checked; ++i) {
    if (!go_on(ok)) return false;
    ok = check_item(i < prefix ? rules.prefix_items[i] : rules.items, items, i, at) && ok;
  }
  return ok;
}

bool SchemaValidator::check_item(SchemaNodeIndex node, const Array& items, std::size_t index,
                                 const Cursor& at) {
  const Place place{.parent = &at.place, .index = index};
  if (at.marks != nullptr) (*at.marks)[index] = true;
  return check(node, Cursor{.value = items[index], .place = place, .scope = at.scope, .depth = at.depth});
}

bool SchemaValidator::check_contains(const SchemaNode& node, const Array& items, const Cursor& at) {
  const ArrayRules& rules = node.array;
  const bool counts_all = rules.contains_count.max != kUnbounded || at.marks != nullptr;
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!counts_all && found >= rules.contains_count.min) break;
    if (stop_ != Stop::kNo) return false;
    const Place place{.parent = &at.place, .index = i};
    if (!quietly(rules.contains,
                 Cursor{.value = items[i], .place = place, .scope = at.scope, .depth = at.depth}))
      continue;
    ++found;
    if (at.marks != nullptr) (*at.marks)[i] = true;
  }
  if (rules.contains_count.contains(found)) return true;
  return fail(at, [&] { return wrong_count(rules.contains_count, found, "contain", "matching item"); });
}

bool SchemaValidator::check_unique(const Array& items, const Cursor& at) {
  const EqualItems equal_items = find_equal_items(items, kSchemaStepsMax - steps_);
  if (!spend(equal_items.steps)) return false;
  if (!equal_items.pair) return true;
  const std::pair<std::size_t, std::size_t> places = *equal_items.pair;
  return fail(at, [&] {
    return fmt::format("must not repeat an item, but [{}] and [{}] are equal", places.first, places.second);
  });
}

}  // namespace sluice::json
