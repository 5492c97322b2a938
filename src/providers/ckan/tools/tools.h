#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/catalog/context.h"
#include "sluice/json/value.h"

#include "portal/portal_api.h"
#include "tools/arguments.h"

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

// The rows of an answer, and how a caller reads on behind those that an answer shows. How many that are is
// decided last, so tools state where their rows stand in the whole list and nothing about what is shown.
struct RowPage {
  std::string key;           // Which member of the value holds them; empty: there are none.
  std::uint64_t offset = 0;  // Of the first row in the whole list.
  // Rows in the whole list. Absent: unknown.
  std::optional<std::uint64_t> total;
  bool has_more = false;        // The list goes on behind these rows, and `argument` leads there.
  bool more_elsewhere = false;  // The list goes on, but another question has to be asked for it.
  std::string argument;         // Of the tool, which takes the offset to read on at: "offset", "start".
  std::string count_key;        // A member that counts the rows that are shown; empty: there is none.
  std::string next_tool;        // The tool with that argument, if it is another one.
  // With more_elsewhere: the question that lists everything. No tool: the caller has to change this one.
  std::string other_tool = {};
  json::Object other_arguments = {};
};

// What a tool has found. `value` is data of the portal; title and facts are the server's own words, with
// numbers and what the caller wrote at most.
struct ToolAnswer {
  json::Object value;
  std::string title;
  std::vector<std::string> facts;
  RowPage page = {};
  std::string whole_uri = {};  // Reads all of what was shortened; empty: nothing does.
};

// Leaves out the first rows of a list that a tool has as a whole, for a caller who reads on.
void skip_rows(json::Array& rows, std::uint64_t offset);

using ToolFunction = Result<ToolAnswer> (*)(const ToolCall&);

Result<ToolAnswer> package_search(const ToolCall& call);
Result<ToolAnswer> find_relevant_datasets(const ToolCall& call);
Result<ToolAnswer> package_show(const ToolCall& call);
Result<ToolAnswer> list_resources(const ToolCall& call);
Result<ToolAnswer> datastore_search(const ToolCall& call);
Result<ToolAnswer> datastore_search_sql(const ToolCall& call);
Result<ToolAnswer> status_show(const ToolCall& call);
Result<ToolAnswer> organization_list(const ToolCall& call);
Result<ToolAnswer> organization_show(const ToolCall& call);
Result<ToolAnswer> organization_search(const ToolCall& call);
Result<ToolAnswer> group_list(const ToolCall& call);
Result<ToolAnswer> group_show(const ToolCall& call);
Result<ToolAnswer> group_search(const ToolCall& call);
Result<ToolAnswer> tag_list(const ToolCall& call);
Result<ToolAnswer> analyze_datasets(const ToolCall& call);
Result<ToolAnswer> catalog_stats(const ToolCall& call);

// Bounds of the arguments, for the schemas and for those who read them.
inline constexpr Bounds kRows{.usual = 10, .least = 0, .most = 1'000};
inline constexpr Bounds kStart{.usual = 0, .least = 0, .most = 10'000'000};
inline constexpr Bounds kPage{.usual = 1, .least = 1, .most = 1'000'000};
inline constexpr Bounds kPageSize{.usual = 10, .least = 1, .most = 1'000};
inline constexpr Bounds kFacetLimit{.usual = 50, .least = 1, .most = 1'000};
inline constexpr Bounds kRecentDays{.usual = 30, .least = 1, .most = 36'500};
inline constexpr Bounds kRelevantLimit{.usual = 10, .least = 1, .most = 50};
inline constexpr Bounds kRelevantOffset{.usual = 0, .least = 0, .most = 49};
inline constexpr Bounds kWeight{.usual = 1, .least = 0, .most = 1'000};
inline constexpr Bounds kRecordLimit{.usual = 100, .least = 0, .most = 32'000};
inline constexpr Bounds kListLimit{.usual = 100, .least = 0, .most = 1'000};
inline constexpr Bounds kTagLimit{.usual = 100, .least = 1, .most = 1'000};
inline constexpr Bounds kTagOffset{.usual = 0, .least = 0, .most = 1'000'000};
inline constexpr Bounds kAnalyzeRows{.usual = 5, .least = 1, .most = 20};
inline constexpr Bounds kStatsLimit{.usual = 20, .least = 1, .most = 100};

}  // namespace sluice::ckan
