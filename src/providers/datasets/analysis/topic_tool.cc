#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/object_reader.h"
#include "sluice/text/pattern_set.h"

#include "analysis/analysis_tools.h"
#include "analysis/findings.h"
#include "analysis/rounding.h"

namespace sluice::datasets::analysis {

namespace {

// One of four keywords, with the bonus for the required ones, scores 0.45: a programme that has what its
// topic requires is found.
constexpr double kThreshold = 0.4;
constexpr double kRequiredBonus = 0.2;
constexpr double kWordStart = 0.7;  // What the pattern set says of the beginning of a word.

// Keywords as people list them: a word in any of its forms, or the beginning of one ("հետազոտ"), and not a
// part from its middle.
class Keywords {
 public:
  static Result<Keywords> compile(const std::vector<std::string>& words) {
    Keywords out;
    if (words.empty()) return out;
    SLUICE_TRY(text::PatternSet forms, text::PatternSet::compile(words, text::Mode::kBalanced));
    SLUICE_TRY(text::PatternSet parts, text::PatternSet::compile(words, text::Mode::kPermissive));
    out.forms_ = std::move(forms);
    out.parts_ = std::move(parts);
    return out;
  }

  // Which of them a text has.
  std::set<std::size_t> in(const std::string& text) const {
    std::set<std::size_t> out;
    if (!forms_) return out;
    for (const text::Match& match : forms_->match_all(text)) out.insert(match.pattern);
    for (const text::Match& match : parts_->match_all(text)) {
      if (match.confidence >= kWordStart) out.insert(match.pattern);
    }
    return out;
  }

 private:
  std::optional<text::PatternSet> forms_;
  std::optional<text::PatternSet> parts_;
};

class Detector {
 public:
  static Result<Detector> create(const query::Topic& topic) {
    Detector out;
    out.topic_ = topic;
    SLUICE_TRY(out.keywords_, Keywords::compile(topic.keywords));
    SLUICE_TRY(out.exclude_, Keywords::compile(topic.exclude));
    return out;
  }

  // Nothing where a required word is missing or an excluded one is there.
  std::optional<Finding> look_at(const Series& series, const Program& program, double at_least) const {
    const query::Entity& entity = series.entity();
    std::set<std::size_t> matched;
    std::vector<std::string> locations;
    const auto look = [&](const std::string& column, const std::string& text) {
      const std::set<std::size_t> found = keywords_.in(text);
      if (!found.empty()) locations.push_back(column);
      matched.insert(found.begin(), found.end());
      return exclude_.in(text).empty();
    };
    bool allowed = look(entity.name, program.name);
    for (std::size_t i = 0; i < program.descriptions.size(); ++i)
      allowed = look(entity.descriptions[i], program.descriptions[i]) && allowed;
    if (!allowed || matched.empty()) return std::nullopt;
    Finding out{.program = program};
    for (const std::size_t index : matched) out.words.push_back(topic_.keywords[index]);
    for (const std::string& word : topic_.required) {
      if (std::find(out.words.begin(), out.words.end(), word) == out.words.end()) return std::nullopt;
    }
    out.score = static_cast<double>(matched.size()) / static_cast<double>(topic_.keywords.size());
    out.score = rounded(std::min(1.0, out.score + kRequiredBonus));
    if (out.score < at_least) return std::nullopt;
    out.item = item_json(series, out, locations);
    return out;
  }

 private:
  static std::string item_json(const Series& series, const Finding& found,
                               const std::vector<std::string>& locations) {
    json::Writer out;
    out.begin_object().raw_field("program", program_json(series, found.program));
    out.field("match_score", found.score).key("matched_keywords").begin_array();
    for (const std::string& word : found.words) out.string(word);
    out.end_array().key("match_locations").begin_array();
    for (const std::string& location : locations) out.string(location);
    return std::move(out.end_array().end_object()).take();
  }

  query::Topic topic_;
  Keywords keywords_;
  Keywords exclude_;
};

Result<query::Topic> topic_of(const Series& series, const json::ObjectReader& in) {
  SLUICE_TRY(const std::string type, in.required_string("pattern_type"));
  SLUICE_TRY(std::vector<std::string> custom, in.optional_strings("custom_keywords"));
  if (type == "custom") {
    if (custom.empty()) {
      return invalid_input("pattern_type custom needs custom_keywords")
          .with_code("invalid_pattern")
          .with_hint("Give the words in custom_keywords; the first one is required to occur.");
    }
    query::Topic topic{.name = type, .keywords = std::move(custom)};
    topic.required = {topic.keywords.front()};
    return topic;
  }
  std::vector<std::string> known;
  for (const query::Topic& topic : series.collection().topics) {
    if (topic.name == type) return topic;
    known.push_back(topic.name);
  }
  return invalid_input(fmt::format("unknown pattern_type: {}", excerpt(type)))
      .with_code("invalid_pattern")
      .with_hint(fmt::format("Known: {}{}custom.", fmt::join(known, ", "), known.empty() ? "" : ", "));
}

}  // namespace

Result<protocol::ToolResult> detect_program_patterns(const DatasetTools& tools, const json::Object& arguments,
                                                     catalog::Context& context) {
  const engine::RunLimits limits = limits_of(context);
  SLUICE_TRY(const Series series, Series::find(tools, arguments));
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const query::Topic topic, topic_of(series, in));
  SLUICE_TRY(const std::optional<double> threshold, in.optional_number("confidence_threshold"));
  SLUICE_TRY(const std::vector<std::string> places, series.places_of(arguments, plural(series.entity())));
  SLUICE_TRY(const Findings::Bounds bounds, read_bounds(tools, in));
  SLUICE_TRY(const Detector detector, Detector::create(topic));
  Findings findings(series);
  for (const std::string& place : places) {
    SLUICE_TRY(const std::vector<Program> programs, read_programs(tools, series, place, context));
    std::vector<Finding> found;
    for (const Program& program : programs) {
      SLUICE_CHECK(still_wanted(limits));
      std::optional<Finding> one = detector.look_at(series, program, threshold.value_or(kThreshold));
      if (one) found.push_back(*std::move(one));
    }
    findings.add(place, std::move(found));
  }
  json::Array keywords;
  for (const std::string& word : topic.keywords) keywords.emplace_back(word);
  const json::Object summary{{"total_programs", findings.total()},
                             {"avg_confidence", rounded(findings.average_score())}};
  return findings.answer(tools,
                         {{"pattern", json::Object{{"type", topic.name}, {"keywords", std::move(keywords)}}}},
                         {{"summary", summary}}, bounds, context);
}

}  // namespace sluice::datasets::analysis
