#include "analysis/series.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/object_reader.h"

namespace sluice::datasets::analysis {

namespace {

constexpr std::size_t kPlacesMax = 64;

// Integers by size, text byte by byte.
bool comes_before(const std::string& a, const std::string& b) {
  std::int64_t left = 0;
  std::int64_t right = 0;
  const bool numbers = std::from_chars(a.data(), a.data() + a.size(), left).ec == std::errc{} &&
                       std::from_chars(b.data(), b.data() + b.size(), right).ec == std::errc{};
  return numbers && left != right ? left < right : a < b;
}

std::shared_ptr<const query::Collection> find_collection(const query::Inventory& inventory,
                                                         const std::string& name) {
  for (const auto& collection : inventory.collections()) {
    if (collection->entity.series.empty()) continue;
    if (name.empty() || collection->name == name) return collection;
  }
  return nullptr;
}

}  // namespace

Result<Series> Series::find(const DatasetTools& tools, const json::Object& arguments) {
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::optional<std::string> name, in.optional_string("collection"));
  const query::Inventory inventory = tools.inventory();
  Series out;
  out.collection_ = find_collection(inventory, name.value_or(""));
  if (!out.collection_) {
    return not_found(fmt::format("no collection with an entity: {}", excerpt(name.value_or(""))))
        .with_code("collection_not_found")
        .with_hint("get_server_info lists the collections; the operator says which have an entity.");
  }
  const std::vector<query::Dimension>& dimensions = out.collection_->dimensions;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i].name == out.entity().series) {
      out.dimension_ = i;
    } else if (const json::Value* value = arguments.find(dimensions[i].name); value != nullptr) {
      out.variant_ = place_text(*value);
    }
  }
  for (const query::DatasetPtr& dataset : inventory.datasets()) {
    if (dataset->collection().name != out.collection_->name) continue;
    out.datasets_.push_back(dataset);
    out.places_.push_back(dataset->identity().dimensions[out.dimension_]);
  }
  std::sort(out.places_.begin(), out.places_.end(), comes_before);
  out.places_.erase(std::unique(out.places_.begin(), out.places_.end()), out.places_.end());
  return out;
}

std::string Series::place_text(const json::Value& value) {
  if (const std::string* text = value.if_string()) return *text;
  if (const json::Number* number = value.if_number()) {
    if (const auto whole = number->as_int64()) return std::to_string(*whole);
  }
  return "";
}

json::Value Series::place_json(const std::string& place) const {
  if (collection_->dimensions[dimension_].is_integer) return json::Number{place};
  return place;
}

Result<std::vector<std::string>> Series::places_of(const json::Object& arguments,
                                                   const std::string& key) const {
  const json::Value* list = arguments.find(key);
  std::vector<std::string> out;
  if (list != nullptr && list->if_array() != nullptr) {
    for (const json::Value& one : *list->if_array()) {
      std::string place = place_text(one);
      if (std::find(out.begin(), out.end(), place) == out.end()) out.push_back(std::move(place));
      if (out.size() > kPlacesMax) break;
    }
  } else {
    out = places_;
  }
  if (out.size() > kPlacesMax) {
    return limit_reached(key + " in one call", kPlacesMax)
        .with_code("too_many_values")
        .with_hint("Ask in several calls.");
  }
  std::sort(out.begin(), out.end(), comes_before);
  return out;
}

std::vector<query::DatasetPtr> Series::at(const std::string& place) const {
  std::vector<query::DatasetPtr> out;
  const std::vector<std::string>& variants = entity().variants;
  const auto variant = [this](const query::DatasetPtr& dataset) -> std::string {
    const std::vector<std::string>& values = dataset->identity().dimensions;
    return values.size() > 1 ? values[1 - dimension_] : std::string();
  };
  const auto rank = [&](const query::DatasetPtr& dataset) {
    return std::find(variants.begin(), variants.end(), variant(dataset)) - variants.begin();
  };
  for (const query::DatasetPtr& dataset : datasets_) {
    if (dataset->identity().dimensions[dimension_] != place) continue;
    if (variant_.empty() || variant(dataset) == variant_) out.push_back(dataset);
  }
  std::stable_sort(out.begin(), out.end(),
                   [&](const query::DatasetPtr& a, const query::DatasetPtr& b) { return rank(a) < rank(b); });
  return out;
}

std::string plural(const query::Entity& entity) { return entity.series + "s"; }

Status still_wanted(const engine::RunLimits& limits) {
  if (limits.stop.stop_requested()) return cancelled();
  if (system_clock().now() >= limits.deadline) {
    return deadline_exceeded().with_code("time_limit").with_hint("Ask about fewer at a time.");
  }
  return {};
}

}  // namespace sluice::datasets::analysis
