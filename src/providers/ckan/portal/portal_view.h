#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/json/value.h"

#include "portal/directory.h"

// Reading what portals answer, as far as it is there.
namespace sluice::ckan {

inline constexpr std::string_view kNothingFound =
    "No data was found on this portal. Do not use information from other sources instead; say so, or search "
    "differently.";

std::uint64_t count_of(const json::Value& value, std::string_view key = "count");
// A list; an empty one where there is none.
const json::Array& list_of(const json::Value& value, std::string_view key);
const json::Array& list_of(const json::Object& object, std::string_view key);
const json::Array& list_of(json::Value&& value, std::string_view key) = delete;  // It would not live on.
// A member as it is; null where there is none.
json::Value member_of(const json::Value& value, std::string_view key);
// A member of a dataset that may also stand among its `extras`.
json::Value field_of(const json::Value& dataset, std::string_view key);

std::string organization_of(const json::Value& dataset);  // Its title, else its name.
json::Array tag_names(const json::Value& dataset);

// At most so many characters, with "..." where something was cut.
std::string cut(std::string_view text, std::size_t characters);

// A value of a facet, and how many datasets have it.
struct FacetItem {
  std::string name;
  std::string display_name;
  std::uint64_t count = 0;
};
std::vector<FacetItem> facet_items(const json::Value& search_result, const std::string& field);

// Pages for people. Names are escaped.
std::string dataset_url(const Portal& portal, std::string_view id, std::string_view name);
std::string organization_url(const Portal& portal, std::string_view name);
// The URI that begins the whole of a dataset or organization, in parts. Empty for a portal that ckan:// URIs
// cannot name.
std::string whole_uri(const Portal& portal, std::string_view type, std::string_view id);
// A request to the API that gives the same.
std::string api_url(const Portal& portal, std::string_view action, std::string_view parameter,
                    std::string_view value);

}  // namespace sluice::ckan
