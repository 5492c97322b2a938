#include <algorithm>
#include <set>

#include "sluice/base/text.h"
#include "sluice/json/object_reader.h"
#include "sluice/text/normalize.h"
#include "sluice/text/similarity.h"
#include "sluice/text/words.h"

#include "analysis/analysis_tools.h"
#include "analysis/findings.h"
#include "analysis/rounding.h"

namespace sluice::datasets::analysis {

namespace {

constexpr std::size_t kEchoBytes = 200;
constexpr double kMinSimilarity = 0.6;

struct Target {
  std::string name;
  std::string description;
  std::string group;  // Normalised; only entities whose group contains it.
  double min_similarity = kMinSimilarity;
};

Result<Target> read_target(const json::ObjectReader& in) {
  Target out;
  SLUICE_TRY(out.name, in.required_string("target_name"));
  SLUICE_TRY(const std::optional<std::string> description, in.optional_string("target_description"));
  SLUICE_TRY(const std::optional<std::string> group, in.optional_string("ministry_filter"));
  SLUICE_TRY(const std::optional<double> similarity, in.optional_number("min_similarity"));
  out.description = description.value_or("");
  out.group = text::normalize(group.value_or(""));
  out.min_similarity = similarity.value_or(kMinSimilarity);
  return out;
}

// The words of a name that the target has as well.
std::vector<std::string> shared_words(const std::set<std::string>& wanted, const std::string& name) {
  std::vector<std::string> out;
  for (const text::Word& word : text::words(name)) {
    if (wanted.contains(word.text) && std::find(out.begin(), out.end(), word.text) == out.end())
      out.push_back(word.text);
  }
  return out;
}

std::set<std::string> words_of(const std::string& text) {
  std::set<std::string> out;
  for (text::Word& word : text::words(text)) out.insert(std::move(word.text));
  return out;
}

struct Scores {
  double name = 0;
  double description = 0;
  double overall = 0;
};

Scores compare(const Target& target, const Program& program) {
  constexpr double kName = 0.7;
  Scores out;
  out.name = text::similarity(target.name, program.name);
  out.overall = out.name;
  if (target.description.empty()) return out;
  if (kName * out.name + (1 - kName) >= target.min_similarity) {  // Else nothing could lift it there.
    for (const std::string& one : program.descriptions) {
      if (!one.empty())
        out.description = std::max(out.description, text::similarity(target.description, one));
    }
  }
  out.overall = kName * out.name + (1 - kName) * out.description;
  return out;
}

std::string item_json(const Series& series, const Finding& found, const Scores& scores) {
  json::Writer out;
  out.begin_object().raw_field("program", program_json(series, found.program));
  out.key("similarity_scores").begin_object();
  out.field("name", rounded(scores.name)).field("description", rounded(scores.description));
  out.field("overall", rounded(scores.overall)).end_object();
  out.key("match_highlights").begin_array();
  for (const std::string& word : found.words) out.string(word);
  return std::move(out.end_array().end_object()).take();
}

Result<std::vector<Finding>> search(const Series& series, const Target& target, std::vector<Program> programs,
                                    const engine::RunLimits& limits) {
  const std::set<std::string> wanted = words_of(target.name);
  std::vector<Finding> out;
  for (Program& program : programs) {
    SLUICE_CHECK(still_wanted(limits));
    if (text::normalize(program.group).find(target.group) == std::string::npos) continue;
    const Scores scores = compare(target, program);
    if (scores.overall < target.min_similarity) continue;
    Finding found{.program = std::move(program), .score = rounded(scores.overall)};
    found.words = shared_words(wanted, found.program.name);
    found.item = item_json(series, found, scores);
    out.push_back(std::move(found));
  }
  return out;
}

}  // namespace

Result<protocol::ToolResult> search_programs_by_similarity(const DatasetTools& tools,
                                                           const json::Object& arguments,
                                                           catalog::Context& context) {
  const engine::RunLimits limits = limits_of(context);
  SLUICE_TRY(const Series series, Series::find(tools, arguments));
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const Target target, read_target(in));
  SLUICE_TRY(const std::vector<std::string> places, series.places_of(arguments, plural(series.entity())));
  SLUICE_TRY(const Findings::Bounds bounds, read_bounds(tools, in));
  Findings findings(series);
  for (const std::string& place : places) {
    SLUICE_TRY(std::vector<Program> programs, read_programs(tools, series, place, context));
    SLUICE_TRY(std::vector<Finding> found, search(series, target, std::move(programs), limits));
    findings.add(place, std::move(found));
  }
  json::Object query{{"name", excerpt(target.name, kEchoBytes)}};
  if (!target.description.empty()) query.set("description", excerpt(target.description, kEchoBytes));
  const json::Object summary{{"total_matches", findings.total()},
                             {plural(series.entity()) + "_with_matches", findings.by_place().size()}};
  return findings.answer(tools, {{"query", std::move(query)}}, {{"summary", summary}}, bounds, context);
}

}  // namespace sluice::datasets::analysis
