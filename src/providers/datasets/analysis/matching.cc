#include "analysis/matching.h"

#include <algorithm>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/text/similarity.h"

#include "analysis/rounding.h"

namespace sluice::datasets::analysis {

namespace {

constexpr std::size_t kFuzzyMax = 5;

bool has_code(const Equivalency& one, const Program& program) {
  return std::any_of(one.codes.begin(), one.codes.end(), [&](const Equivalency::Code& code) {
    return code.place == program.place && code.code == program.code;
  });
}

}  // namespace

Result<Matcher> Matcher::create(const DatasetTools& tools, const Series& series,
                                const catalog::Context& context) {
  Matcher out(tools, series, limits_of(context));
  if (tools.services().equivalencies) {
    SLUICE_TRY(out.equivalencies_, tools.services().equivalencies->all());
  }
  return out;
}

Result<Program> Matcher::find(const std::string& place, const std::string& code,
                              const catalog::Context& context) const {
  SLUICE_TRY(const std::vector<Program> programs, read_programs(dataset_tools_, series_, place, context));
  const Program* found = nullptr;
  for (const Program& one : programs) {
    if (one.code != code) continue;
    if (found == nullptr || one.total.value_or(0) > found->total.value_or(0)) found = &one;
  }
  if (found != nullptr) return *found;
  return not_found(fmt::format("no {} {} in {}", series_.entity().code, excerpt(code), excerpt(place)))
      .with_code("program_not_found")
      .with_hint(programs.empty() ? "There is no data for it; get_catalog lists what there is."
                                  : "search_programs_by_similarity finds codes by name.");
}

bool Matcher::is_registered(const Program& reference, const Program& candidate) const {
  return std::any_of(equivalencies_.begin(), equivalencies_.end(), [&](const auto& one) {
    return one.second.collection == series_.collection().name && has_code(one.second, reference) &&
           has_code(one.second, candidate);
  });
}

Result<Matches> Matcher::matches(const Program& reference, const std::string& place,
                                 const MatchOptions& options, const catalog::Context& context) const {
  Matches out;
  out.has_data = !series_.at(place).empty();
  SLUICE_TRY(std::vector<Program> programs, read_programs(dataset_tools_, series_, place, context));
  for (Program& program : programs) {
    SLUICE_CHECK(still_wanted(limits_));
    const bool registered = is_registered(reference, program);
    if (registered || program.code == reference.code) {
      const double alike = rounded(text::similarity(reference.name, program.name));
      out.exact.push_back({.program = std::move(program),
                           .confidence = 1,
                           .reason = registered ? "registered" : "exact_code",
                           .name_similarity = alike});
      continue;
    }
    const double score = likeness(reference, program, options.groups, options.threshold);
    if (score < options.threshold) continue;
    const double alike = rounded(text::similarity(reference.name, program.name));
    out.fuzzy.push_back({.program = std::move(program),
                         .confidence = rounded(score),
                         .reason = "fuzzy_text",
                         .name_similarity = alike});
  }
  const auto better = [](const Candidate& a, const Candidate& b) { return a.confidence > b.confidence; };
  std::stable_sort(out.fuzzy.begin(), out.fuzzy.end(), better);
  // What somebody has said comes before what the codes say.
  std::stable_partition(out.exact.begin(), out.exact.end(),
                        [](const Candidate& one) { return one.reason == "registered"; });
  if (out.fuzzy.size() > kFuzzyMax) out.fuzzy.resize(kFuzzyMax);
  return out;
}

std::string candidate_json(const Series& series, const Candidate& candidate) {
  json::Writer out;
  out.begin_object().raw_field("program", program_json(series, candidate.program));
  out.field("confidence", candidate.confidence).field("match_reason", candidate.reason);
  // A code may be given to something else in another year; then this tells.
  out.field("name_similarity", candidate.name_similarity);
  return std::move(out.end_object()).take();
}

}  // namespace sluice::datasets::analysis
