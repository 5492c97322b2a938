#include "prompts/prompt_columns.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

namespace sluice::datasets {

namespace {

using query::Collection;
using query::DatasetPtr;

constexpr std::chrono::seconds kLookingTime{3};
constexpr std::size_t kKindsMax = 12;

// The columns of a dataset; none if they cannot be read by the deadline.
expression::Columns columns_of(const DatasetTools& tools, const DatasetPtr& dataset, Monotonic deadline) {
  const Services& services = tools.services();
  if (!dataset || system_clock().now() >= deadline) return {};
  const Result<std::shared_ptr<engine::Engine>> engine = services.engines->get();
  if (!engine.ok()) return {};
  const auto table = services.tables->get(**engine, *dataset, {.deadline = deadline, .stop = {}});
  return table.ok() ? (*table)->columns : expression::Columns();
}

std::optional<std::size_t> dimension_of_type(const Collection& collection, bool is_integer) {
  for (std::size_t i = 0; i < collection.dimensions.size(); ++i) {
    if (collection.dimensions[i].is_integer == is_integer) return i;
  }
  return std::nullopt;
}

std::int64_t place_number(const std::string& text) {
  std::int64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

// Whether `a` is of a later year, or whatever number its datasets are told apart by.
bool is_newer(const query::Dataset& a, const query::Dataset& b) {
  const std::optional<std::size_t> at = dimension_of_type(a.collection(), true);
  return at && &a.collection() == &b.collection() &&
         place_number(a.identity().dimensions[*at]) > place_number(b.identity().dimensions[*at]);
}

bool has_variant(const query::Dataset& dataset, const std::string& variant) {
  const std::vector<std::string>& values = dataset.identity().dimensions;
  return std::find(values.begin(), values.end(), variant) != values.end();
}

std::string first_column(const expression::Columns& columns, bool (*is_wanted)(engine::TypeId),
                         std::string_view besides = "") {
  for (const engine::Field& column : columns) {
    if (is_wanted(column.type.id) && column.name != besides) return column.name;
  }
  return "";
}

bool is_text(engine::TypeId id) { return id == engine::TypeId::kText; }

std::string known_or(const expression::Columns& columns, const std::string& name, std::string otherwise) {
  return query::find_column(columns, name).ok() ? name : std::move(otherwise);
}

std::string amount_of(const Collection& collection, const expression::Columns& columns) {
  if (std::string measure = role_column(collection, columns, collection.entity.measure); !measure.empty())
    return measure;
  for (const query::Role& role : collection.roles) {
    if (std::string column = role_column(collection, columns, role.name); !column.empty()) return column;
  }
  return first_column(columns, engine::is_number);
}

}  // namespace

DatasetPtr example_dataset(const query::Inventory& inventory) {
  DatasetPtr best;
  for (const DatasetPtr& dataset : inventory.datasets()) {
    if (best && &dataset->collection() != &best->collection()) continue;
    const std::vector<std::string>& variants = dataset->collection().entity.variants;
    const bool is_first = variants.empty() || has_variant(*dataset, variants.front());
    const bool was_first = best && (variants.empty() || has_variant(*best, variants.front()));
    if (!best || (is_first && !was_first) || (is_first == was_first && is_newer(*dataset, *best)))
      best = dataset;
  }
  return best;
}

ExampleColumns example_columns(const DatasetTools& tools, const DatasetPtr& dataset) {
  ExampleColumns out;
  const expression::Columns columns = columns_of(tools, dataset, system_clock().now() + kLookingTime);
  if (columns.empty()) return out;
  const Collection& collection = dataset->collection();
  const auto take = [](std::string& into, std::string name) {
    if (!name.empty()) into = excerpt(name);
  };
  const std::string group = known_or(columns, collection.entity.group, first_column(columns, is_text));
  const std::string text = known_or(columns, collection.entity.name, first_column(columns, is_text, group));
  take(out.group, group);
  take(out.text, text.empty() ? group : text);
  take(out.amount, amount_of(collection, columns));
  return out;
}

std::vector<std::string> role_lines(const DatasetTools& tools, const query::Inventory& inventory,
                                    const Collection& collection) {
  if (collection.roles.empty()) return {};
  const std::optional<std::size_t> kind = dimension_of_type(collection, false);
  std::map<std::string, DatasetPtr> newest;  // By the value of that dimension.
  for (const DatasetPtr& dataset : inventory.datasets()) {
    if (dataset->collection().name != collection.name) continue;
    const std::string name = kind ? dataset->identity().dimensions[*kind] : "all datasets";
    if (!newest.contains(name) && newest.size() == kKindsMax) continue;
    DatasetPtr& one = newest[name];
    if (!one || is_newer(*dataset, *one)) one = dataset;
  }
  const Monotonic deadline = system_clock().now() + kLookingTime;
  std::vector<std::string> out;
  for (const auto& [name, dataset] : newest) {
    const expression::Columns columns = columns_of(tools, dataset, deadline);
    std::string roles;
    for (const query::Role& role : collection.roles) {
      if (const std::string column = role_column(collection, columns, role.name); !column.empty())
        roles += fmt::format("{}{} is {}", roles.empty() ? "" : ", ", role.name, excerpt(column));
    }
    if (!roles.empty()) out.push_back(fmt::format("- {}: {}", excerpt(name), roles));
  }
  return out;
}

}  // namespace sluice::datasets
