#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "sluice/json/object_reader.h"

#include "analysis/analysis_tools.h"
#include "analysis/findings.h"
#include "analysis/matching.h"

namespace sluice::datasets::analysis {

namespace {

constexpr double kSameThreshold = 0.7;
constexpr double kLineageThreshold = 0.8;
constexpr double kUncertain = 0.5;

// A code that a caller gives as text or as a number.
std::string code_text(const json::Value* value) {
  return value == nullptr ? std::string() : Series::place_text(*value);
}

std::vector<std::string> items_of(const Series& series, const std::vector<Candidate>& candidates) {
  std::vector<std::string> out;
  for (const Candidate& one : candidates) out.push_back(candidate_json(series, one));
  return out;
}

// {exact_matches, fuzzy_matches, no_matches}. Returns whether something was left out.
bool write_matches(json::Writer& out, const Series& series, const Matches& matches, Shares& shares) {
  const std::vector<std::string> exact = items_of(series, matches.exact);
  const std::vector<std::string> fuzzy = items_of(series, matches.fuzzy);
  out.begin_object().key("exact_matches");
  const std::size_t first = shares.write(out, exact);
  out.key("fuzzy_matches");
  const std::size_t second = shares.write(out, fuzzy);
  out.key("no_matches").begin_array();
  if (!matches.has_data) {
    out.string("no_data");
  } else if (exact.empty() && fuzzy.empty()) {
    out.string("no_suitable_matches");
  }
  out.end_array().end_object();
  return first < exact.size() || second < fuzzy.size();
}

void warn_of_less(json::Writer& out, bool less) {
  if (less) write_warnings(out, {"Not all matches fit this answer; ask about fewer at a time."});
}

// How one place continues the line.
struct Step {
  std::string_view status = "missing";  // Or "found", "uncertain".
  double confidence = 0;
  std::string_view notes = "No suitable matches found";
  const Candidate* best = nullptr;  // Of the matches.
};

Step step_of(const Matches& matches, double threshold) {
  if (!matches.has_data) return {.notes = "No data"};
  if (!matches.exact.empty()) {
    const Candidate& best = matches.exact.front();
    return {.status = "found",
            .confidence = 1,
            .notes = best.reason == "registered" ? "Registered as equivalent" : "Exact code match",
            .best = &best};
  }
  if (matches.fuzzy.empty()) return {};
  const Candidate& best = matches.fuzzy.front();
  if (best.confidence >= threshold) {
    return {.status = "found",
            .confidence = best.confidence,
            .notes = "Fuzzy match above threshold",
            .best = &best};
  }
  return {.status = "uncertain",
          .confidence = best.confidence,
          .notes = "Fuzzy match below threshold",
          .best = &best};
}

// Follows one entity from place to place: each is compared with the nearest that was found before.
class Lineage {
 public:
  Lineage(const Series& series, Program start) : series_(series) {
    place_ = index_of(start.place);
    line_.push_back({.program = std::move(start), .confidence = 1, .reason = "reference"});
  }

  const Program& nearest(const std::string& place) const {
    const auto distance = [&](const Candidate& one) {
      return std::abs(index_of(one.program.place) - index_of(place));
    };
    return std::min_element(line_.begin(), line_.end(),
                            [&](const Candidate& a, const Candidate& b) { return distance(a) < distance(b); })
        ->program;
  }
  void add(const Candidate& found) {
    line_.push_back({.program = found.program, .confidence = found.confidence, .reason = "traced"});
  }
  // From the start outwards, so that every place has a neighbour that was looked at before it.
  std::vector<std::string> in_order(std::vector<std::string> places) const {
    std::stable_sort(places.begin(), places.end(), [&](const std::string& a, const std::string& b) {
      return std::abs(index_of(a) - place_) < std::abs(index_of(b) - place_);
    });
    return places;
  }
  void write_timeline(json::Writer& out) {
    std::sort(line_.begin(), line_.end(), [&](const Candidate& a, const Candidate& b) {
      return index_of(a.program.place) < index_of(b.program.place);
    });
    out.key("timeline").begin_array();
    for (const Candidate& one : line_) {
      out.begin_object().field(series_.entity().series, series_.place_json(one.program.place));
      out.field("code", one.program.code).field("confidence", one.confidence).field("status", one.reason);
      out.field_if("total", one.program.total).end_object();
    }
    out.end_array();
  }

 private:
  std::ptrdiff_t index_of(const std::string& place) const {
    const std::vector<std::string>& all = series_.places();
    return std::find(all.begin(), all.end(), place) - all.begin();
  }

  const Series& series_;  // Outlives the call.
  std::ptrdiff_t place_ = 0;
  std::vector<Candidate> line_;
};

void write_texts(json::Writer& out, std::string_view key, const std::vector<std::string>& texts) {
  out.key(key).begin_array();
  for (const std::string& text : texts) out.string(text);
  out.end_array();
}

}  // namespace

Result<protocol::ToolResult> find_program_across_years(const DatasetTools& tools,
                                                       const json::Object& arguments,
                                                       catalog::Context& context) {
  SLUICE_TRY(const Series series, Series::find(tools, arguments));
  const std::string& name = series.entity().series;
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::optional<double> threshold, in.optional_number("similarity_threshold"));
  SLUICE_TRY(const std::optional<bool> with_group, in.optional_bool("include_ministry_context"));
  SLUICE_TRY(const std::vector<std::string> places,
             series.places_of(arguments, "search_" + plural(series.entity())));
  SLUICE_TRY(const Matcher matcher, Matcher::create(tools, series, context));
  SLUICE_TRY(const Program reference,
             matcher.find(code_text(arguments.find("reference_" + name)),
                          code_text(arguments.find("reference_program_code")), context));
  const MatchOptions options{.threshold = threshold.value_or(kSameThreshold),
                             .groups = with_group.value_or(true) ? Groups::kCompared : Groups::kIgnored};
  Shares shares(answer_room(tools), 2 * places.size());
  std::uint64_t high = 0;
  std::uint64_t medium = 0;
  std::uint64_t missing = 0;
  bool less = false;
  json::Writer list;
  list.begin_object();
  for (const std::string& place : places) {
    if (place == reference.place) continue;
    SLUICE_TRY(const Matches matches, matcher.matches(reference, place, options, context));
    const bool sure = !matches.exact.empty() ||
                      (!matches.fuzzy.empty() && matches.fuzzy.front().confidence >= kLineageThreshold);
    ++(sure ? high : matches.fuzzy.empty() ? missing : medium);
    list.key(place);
    less = write_matches(list, series, matches, shares) || less;
  }
  list.end_object();
  json::Writer out;
  out.begin_object().raw_field("reference_program", program_json(series, reference));
  out.key("summary").begin_object().field("high_confidence", high).field("medium_confidence", medium);
  out.field("missing", missing).end_object();
  warn_of_less(out, less);
  return protocol::json_text_result(std::move(out.raw_field("matches", list.text()).end_object()).take());
}

Result<protocol::ToolResult> trace_program_lineage(const DatasetTools& tools, const json::Object& arguments,
                                                   catalog::Context& context) {
  SLUICE_TRY(const Series series, Series::find(tools, arguments));
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const json::ObjectReader start, in.required_object("starting_program"));
  SLUICE_TRY(const std::optional<double> asked, in.optional_number("confidence_threshold"));
  const double threshold = asked.value_or(kLineageThreshold);
  SLUICE_TRY(const std::vector<std::string> places,
             series.places_of(arguments, "search_" + plural(series.entity())));
  SLUICE_TRY(const Matcher matcher, Matcher::create(tools, series, context));
  SLUICE_TRY(Program reference, matcher.find(code_text(start.find(series.entity().series)),
                                             code_text(start.find("code")), context));
  Lineage lineage(series, std::move(reference));
  Shares shares(answer_room(tools), 2 * places.size());
  std::vector<std::string> gaps;
  std::vector<std::string> recommendations;
  bool less = false;
  json::Writer list;
  list.begin_object();
  for (const std::string& place : lineage.in_order(places)) {
    if (lineage.nearest(place).place == place) continue;
    SLUICE_TRY(const Matches matches,
               matcher.matches(lineage.nearest(place), place, {.threshold = std::min(threshold, kUncertain)},
                               context));
    const Step step = step_of(matches, threshold);
    list.key(place).begin_object().field("status", step.status).field("confidence", step.confidence);
    list.field("notes", step.notes).key("matches");
    less = write_matches(list, series, matches, shares) || less;
    list.end_object();
    if (step.status == "found") lineage.add(*step.best);
    if (step.status == "missing") gaps.push_back(place);
    if (step.status == "uncertain")
      recommendations.push_back(
          fmt::format("Look at the candidates of {}; register_program_equivalency keeps "
                      "what you decide.",
                      place));
  }
  list.end_object();
  json::Writer out;
  out.begin_object();
  lineage.write_timeline(out);
  out.key("gaps").begin_array();
  for (const std::string& gap : gaps) out.value(series.place_json(gap));
  out.end_array();
  write_texts(out, "recommendations", recommendations);
  warn_of_less(out, less);
  return protocol::json_text_result(std::move(out.raw_field("lineage", list.text()).end_object()).take());
}

}  // namespace sluice::datasets::analysis
