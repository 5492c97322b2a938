#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/catalog/context.h"
#include "sluice/json/value.h"

#include "arguments.h"
#include "portal_api.h"

// One function for each tool. Arguments have been checked against its schema.
namespace sluice::ckan {

struct ToolCall {
  PortalApi& api;
  const Portal& portal;
  const Arguments& in;
  Caller caller;

  Result<ActionResultPtr> get(std::string_view action, const Parameters& parameters) const {
    return api.get(portal, action, parameters, caller);
  }
};

// What a tool has found. `value` is data of the portal; title and facts are the server's own words, with
// numbers and what the caller wrote at most.
struct Found {
  json::Object value;
  std::string title;
  std::vector<std::string> facts;
  std::string rows;  // Which member holds the rows that Markdown lists; empty: there are none.
};

using ToolFunction = Result<Found> (*)(const ToolCall&);

Result<Found> package_search(const ToolCall& call);
Result<Found> find_relevant_datasets(const ToolCall& call);
Result<Found> package_show(const ToolCall& call);
Result<Found> list_resources(const ToolCall& call);
Result<Found> datastore_search(const ToolCall& call);
Result<Found> datastore_search_sql(const ToolCall& call);
Result<Found> status_show(const ToolCall& call);
Result<Found> organization_list(const ToolCall& call);
Result<Found> organization_show(const ToolCall& call);
Result<Found> organization_search(const ToolCall& call);
Result<Found> group_list(const ToolCall& call);
Result<Found> group_show(const ToolCall& call);
Result<Found> group_search(const ToolCall& call);
Result<Found> tag_list(const ToolCall& call);
Result<Found> analyze_datasets(const ToolCall& call);
Result<Found> catalog_stats(const ToolCall& call);

// Bounds of the arguments, for the schemas and for those who read them.
inline constexpr Bounds kRows{.usual = 10, .least = 0, .most = 1'000};
inline constexpr Bounds kStart{.usual = 0, .least = 0, .most = 10'000'000};
inline constexpr Bounds kPage{.usual = 1, .least = 1, .most = 1'000'000};
inline constexpr Bounds kPageSize{.usual = 10, .least = 1, .most = 1'000};
inline constexpr Bounds kFacetLimit{.usual = 50, .least = 1, .most = 1'000};
inline constexpr Bounds kRecentDays{.usual = 30, .least = 1, .most = 36'500};
inline constexpr Bounds kRelevantLimit{.usual = 10, .least = 1, .most = 50};
inline constexpr Bounds kWeight{.usual = 1, .least = 0, .most = 1'000};
inline constexpr Bounds kRecordLimit{.usual = 100, .least = 0, .most = 32'000};
inline constexpr Bounds kListLimit{.usual = 100, .least = 0, .most = 1'000};
inline constexpr Bounds kTagLimit{.usual = 100, .least = 1, .most = 1'000};
inline constexpr Bounds kAnalyzeRows{.usual = 5, .least = 1, .most = 20};
inline constexpr Bounds kStatsLimit{.usual = 20, .least = 1, .most = 100};

}  // namespace sluice::ckan
