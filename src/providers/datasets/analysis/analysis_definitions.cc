#include "analysis/analysis_definitions.h"

#include <array>
#include <string_view>
#include <utility>

#include "sluice/json/schema_words.h"

#include "analysis/analysis_tools.h"
#include "analysis/series.h"

namespace sluice::datasets::analysis {

namespace {

using json::Array;
using json::Object;
using json::schema::count;
using json::schema::described;
using json::schema::flag;
using json::schema::fraction;
using json::schema::list_of;
using json::schema::text;
using json::schema::typed;

constexpr std::int64_t kTextMax = 2'000;

constexpr std::array kFunctions = {
    std::pair{std::string_view("detect_program_patterns"), &detect_program_patterns},
    std::pair{std::string_view("find_program_across_years_robust"), &find_program_across_years},
    std::pair{std::string_view("get_budget_distribution"), &get_budget_distribution},
    std::pair{std::string_view("get_budget_visualization_data"), &get_budget_visualization_data},
    std::pair{std::string_view("get_ministry_comparison"), &get_ministry_comparison},
    std::pair{std::string_view("get_program_equivalencies"), &get_program_equivalencies},
    std::pair{std::string_view("register_program_equivalency"), &register_program_equivalency},
    std::pair{std::string_view("search_programs_by_similarity"), &search_programs_by_similarity},
    std::pair{std::string_view("trace_program_lineage"), &trace_program_lineage},
};

Object bounded_text() { return {{"type", "string"}, {"maxLength", kTextMax}}; }
Object code() { return {{"type", Array{"string", "integer"}}}; }

// The definitions over one collection, and how many there are to choose from.
class Definitions {
 public:
  Definitions(const query::Collection& collection, bool is_only)
      : collection_(collection), entity_(collection.entity), is_only_(is_only) {
    for (const query::Dimension& dimension : collection.dimensions) {
      if (dimension.name == entity_.series) {
        place_ = typed(dimension.is_integer ? "integer" : "string");
      } else {
        other_ = dimension.name;
      }
    }
  }

  std::vector<ToolDefinition> build() {
    add_totals();
    add_searches();
    add_matches();
    add_equivalencies();
    return std::move(out_);
  }

 private:
  Object places(std::string_view description) const { return described(list_of(place_), description); }

  // What every tool takes: the other dimension, and which collection.
  Object with_source(Object properties) const {
    if (!other_.empty() && !entity_.variants.empty()) {
      properties.set(other_, text("Default: the first that has what is needed, of " +
                                  entity_.variants.front() + " and others"));
    }
    if (!is_only_) properties.set("collection", typed("string"));
    return properties;
  }

  ToolDefinition& add(std::string name, std::string title, std::string description, Object properties,
                      std::vector<std::string> required, Array output) {
    const ToolFunction function = tool_function(name);
    return out_.emplace_back(define({.name = std::move(name),
                                     .title = std::move(title),
                                     .description = std::move(description),
                                     .properties = with_source(std::move(properties)),
                                     .required = std::move(required),
                                     .output_required = std::move(output),
                                     .function = function}));
  }

  void add_totals() {
    const std::string years = plural(entity_);
    add("get_ministry_comparison", "Compare through the " + years,
        "What the groups whose name has a word (in any form) had in each " + entity_.series +
            ", and the change from one to the next.",
        {{years, places("Default: all")},
         {"ministry_pattern", bounded_text()},
         {"metrics", described(json::schema::names(), "Roles; default: allocated, actual")}},
        {"ministry_pattern"}, {"ministry_pattern", "matched", entity_.series + "ly_data", "trend_analysis"});
    add("get_budget_distribution", "Shares of the whole",
        "The largest groups of one " + entity_.series +
            " with their share. Deprecated: aggregate does it for any column.",
        {{entity_.series, place_},
         {"groupby", text("A column; default: " + entity_.group)},
         {"top_n", described(count(1), "Default 20")}},
        {entity_.series}, {"pie_chart_data", "total_budget", "other"});
    Array views;
    for (const query::Summary& summary : collection_.summaries) {
      if (!summary.group_by.empty())
        views.emplace_back(summary.name.substr(0, summary.name.rfind("-summary")));
    }
    if (views.empty()) return;
    add("get_budget_visualization_data", "A summary for a chart",
        "Totals of one " + entity_.series + " by group. Deprecated: aggregate does it for any column.",
        {{entity_.series, place_},
         {"view_type", Object{{"enum", std::move(views)}}},
         {"output_format", text("json (default) or csv")}},
        {entity_.series, "view_type"}, {"row_count"});
  }

  void add_bounds(Object& out) const {
    out.set("max_per_year", described(count(1), "Default 50"));
    out.set("max_inline_bytes", count(0));
    out.set("force_file_output", described(flag(), "Keep all matches as a handle as well"));
  }

  void add_searches() {
    Object search{{"target_name", bounded_text()},
                  {"target_description", bounded_text()},
                  {plural(entity_), places("Default: all")},
                  {"ministry_filter", bounded_text()},
                  {"min_similarity", described(fraction(), "Default 0.6")}};
    add_bounds(search);
    add("search_programs_by_similarity", "Search by likeness of names",
        "Entities whose name, and description if given, is like the one given, by " + entity_.series + ".",
        std::move(search), {"target_name"}, {"query", "summary", "results"});
    std::string topics;
    for (const query::Topic& topic : collection_.topics) topics += topic.name + ", ";
    Object detect{{"pattern_type", text(topics + "custom")},
                  {plural(entity_), places("Default: all")},
                  {"custom_keywords", Object{{"type", "array"},
                                             {"items", Object{{"type", "string"}, {"maxLength", 100}}},
                                             {"maxItems", 20},
                                             {"description", "The first one must occur"}}},
                  {"confidence_threshold", described(fraction(), "Default 0.4")}};
    add_bounds(detect);
    add("detect_program_patterns", "Find what is about a topic",
        "Entities whose name or description has the words of a topic, in any form, by " + entity_.series +
            ".",
        std::move(detect), {"pattern_type"}, {"pattern", "summary", "results"});
  }

  void add_matches() {
    const std::string& year = entity_.series;
    const std::string search = "search_" + plural(entity_);
    add("find_program_across_years_robust", "Find the same one elsewhere",
        "Where one entity is found in other " + plural(entity_) +
            ": by code, by what was registered, and by likeness of name, description, group and size.",
        {{"reference_" + year, place_},
         {"reference_program_code", code()},
         {search, places("Default: all")},
         {"similarity_threshold", described(fraction(), "Default 0.7")},
         {"include_ministry_context", flag()}},
        {"reference_" + year, "reference_program_code"}, {"reference_program", "matches", "summary"});
    add("trace_program_lineage", "Follow one through the " + plural(entity_),
        "Follows one entity from " + year + " to " + year +
            ", each compared with the nearest that was found.",
        {{"starting_program", Object{{"type", "object"},
                                     {"properties", Object{{year, place_}, {"code", code()}}},
                                     {"required", Array{year, "code"}}}},
         {search, places("Default: all")},
         {"confidence_threshold", described(fraction(), "Default 0.8")}},
        {"starting_program"}, {"timeline", "gaps", "recommendations", "lineage"});
  }

  void add_equivalencies() {
    const std::string mapping = "{name: [{" + entity_.series + ", code}, …]}: codes that mean the same";
    ToolDefinition& change = add(
        "register_program_equivalency", "Register codes that mean the same",
        "Keeps, for all callers of this server, that codes mean the same entity; the matching tools use it.",
        {{"equivalency_map", described(typed("object"), mapping)},
         {"description", bounded_text()},
         {"replace", described(flag(), "Replace those of the same name")}},
        {"equivalency_map"}, {"success", "registered", "concept_ids"});
    change.tool.annotations = protocol::ToolAnnotations{
        .read_only = false, .destructive = true, .idempotent = true, .open_world = false};
    add("get_program_equivalencies", "Registered equivalencies",
        "The codes that were registered as meaning the same.", {{"offset", count(0)}}, {},
        {"equivalencies", "count"});
  }

  const query::Collection& collection_;  // Outlives this.
  const query::Entity& entity_;
  const bool is_only_;
  Object place_;
  std::string other_;
  std::vector<ToolDefinition> out_;
};

}  // namespace

std::vector<ToolDefinition> tool_definitions(const query::Inventory& inventory) {
  const query::Collection* first = nullptr;
  bool is_only = true;
  for (const auto& collection : inventory.collections()) {
    if (collection->entity.series.empty()) continue;
    if (first != nullptr) is_only = false;
    if (first == nullptr) first = collection.get();
  }
  if (first == nullptr) return {};
  return Definitions(*first, is_only).build();
}

ToolFunction tool_function(std::string_view name) {
  for (const auto& [known, function] : kFunctions) {
    if (known == name) return function;
  }
  return nullptr;
}

}  // namespace sluice::datasets::analysis
