#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dataset_tools.h"

namespace sluice::datasets::analysis {

inline constexpr std::size_t kGroupNameBytes = 200;  // Of a group's name in an answer.

// A collection whose rows are about something that can be followed from one dataset to the next, with the
// datasets it has now. Places are the values of the dimension along which it is followed: years.
class Series {
 public:
  // The one that `collection` names, or the first there is.
  static Result<Series> find(const DatasetTools& tools, const json::Object& arguments);

  const query::Collection& collection() const { return *collection_; }
  const query::Entity& entity() const { return collection_->entity; }

  // All places, in their order.
  const std::vector<std::string>& places() const { return places_; }
  // Those that a list of the call names, each once; all where it names none. A place without data is no
  // error here.
  Result<std::vector<std::string>> places_of(const json::Object& arguments, const std::string& key) const;
  // A place as JSON has it.
  static std::string place_text(const json::Value& value);
  json::Value place_json(const std::string& place) const;

  // The datasets of a place, the preferred first, or only the one whose other dimension the call names.
  std::vector<query::DatasetPtr> at(const std::string& place) const;

 private:
  std::shared_ptr<const query::Collection> collection_;
  std::vector<query::DatasetPtr> datasets_;
  std::vector<std::string> places_;
  std::size_t dimension_ = 0;  // Of the series.
  std::string variant_;        // That the call names.
};

// What the arguments of the tools are called: `years`, `search_years`, `reference_year`.
std::string plural(const query::Entity& entity);

// Fails where the caller has gone or the time is over: comparing takes long where there is much. The limits
// are those of the beginning of the call, which leave time for an answer.
Status still_wanted(const engine::RunLimits& limits);

}  // namespace sluice::datasets::analysis
