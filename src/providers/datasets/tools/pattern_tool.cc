#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/object_reader.h"

#include "answer/filter_token.h"
#include "answer/pattern_candidates.h"
#include "tools/tools.h"

namespace sluice::datasets {

namespace {

constexpr std::size_t kListedMax = 200;
constexpr std::size_t kEntryBytes = 60;  // Keys, count and confidence of one.
constexpr std::size_t kPermissiveMax = 200;
constexpr std::size_t kAskedMax = 20;  // Values in one form.
constexpr std::size_t kTokenValuesMax = 10'000;

Result<PatternRequest> read_request(const json::Object& arguments, const Subject& subject) {
  const json::ObjectReader in(arguments, "");
  PatternRequest request;
  SLUICE_TRY(request.field, in.required_string("field"));
  SLUICE_TRY(request.patterns, in.optional_strings("patterns"));
  SLUICE_TRY(request.exclude, in.optional_strings("exclude"));
  SLUICE_TRY(const std::optional<std::string> mode, in.optional_string("mode"));
  SLUICE_TRY(request.mode, text::parse_mode(mode.value_or("balanced")));
  SLUICE_TRY(const engine::Field* column, query::find_column(subject.table->columns, request.field));
  if (column->type.id != engine::TypeId::kText) {
    return invalid_input(fmt::format("pattern_filter on {}: the column is {}", excerpt(request.field),
                                     engine::polars_name(column->type)))
        .with_code("invalid_column")
        .with_hint("Patterns are looked for in text columns; use filters for others.");
  }
  return request;
}

// Why the caller should look at the candidates first; empty where nothing is doubtful.
std::string doubt(const Candidates& candidates, text::Mode mode, double threshold) {
  const auto& include = candidates.include;
  switch (mode) {
    case text::Mode::kStrict:
      if (std::any_of(include.begin(), include.end(), [](const Candidate& one) { return one.overlaps; })) {
        return "several patterns match the same value";
      }
      return candidates.groups > 1 ? fmt::format("the matches belong to {} groups", candidates.groups) : "";
    case text::Mode::kBalanced:
      return std::any_of(include.begin(), include.end(),
                         [&](const Candidate& one) { return one.confidence < threshold; })
                 ? fmt::format("some matches are less certain than {}", threshold)
                 : "";
    case text::Mode::kPermissive:
      return include.size() > kPermissiveMax ? fmt::format("{} values match", include.size()) : "";
  }
  return "";
}

std::uint64_t rows_of(const std::vector<Candidate>& candidates) {
  std::uint64_t rows = 0;
  for (const Candidate& one : candidates) rows += one.count;
  return rows;
}

// How many of the most frequent candidates can be listed in so many bytes.
std::size_t listed_count(const std::vector<Candidate>& candidates, std::uint64_t bytes_max) {
  std::uint64_t bytes = 0;
  std::size_t count = 0;
  while (count < std::min(candidates.size(), kListedMax)) {
    bytes += candidates[count].value.size() + candidates[count].matched.size() + kEntryBytes;
    if (bytes > bytes_max) break;
    ++count;
  }
  return count;
}

json::Array candidate_values(const std::vector<Candidate>& candidates, std::size_t count) {
  json::Array out;
  for (std::size_t i = 0; i < count; ++i) out.emplace_back(candidates[i].value);
  return out;
}

// Each included value stands there twice, once with its details.
json::Object candidates_json(const Candidates& candidates, std::uint64_t bytes_max) {
  const std::size_t include = listed_count(candidates.include, bytes_max / 3);
  json::Array details;
  for (std::size_t i = 0; i < include; ++i) {
    const Candidate& one = candidates.include[i];
    details.push_back(json::Object{{"value", one.value},
                                   {"count", one.count},
                                   {"matched", one.matched},
                                   {"confidence", one.confidence}});
  }
  json::Object out{
      {"include", candidate_values(candidates.include, include)},
      {"exclude", candidate_values(candidates.exclude, listed_count(candidates.exclude, bytes_max / 4))},
      {"details", std::move(details)}};
  if (include < candidates.include.size()) out.set("unlisted", candidates.include.size() - include);
  return out;
}

// What the candidates do not tell by themselves.
void add_warnings(const Candidates& candidates, json::Object& body) {
  if (!candidates.is_partial) return;
  body.set("warnings", json::Array{fmt::format(
                           "The column has more than {0} distinct values, of which the {0} most frequent "
                           "were looked at. A filter with normalized_contains looks at all.",
                           kPatternValuesMax)});
}

protocol::ToolResult needs_confirmation(const DatasetTools& tools, const Candidates& candidates,
                                        const PatternRequest& request, std::string_view reason) {
  json::Object body{
      {"status", "needs_confirmation"},
      {"question", fmt::format("Confirm which '{}' values to include/exclude? (mode={})",
                               excerpt(request.field), text::to_string(request.mode))},
      {"notes", fmt::format("Asked because {}. {} values match in {} rows. Call again with confirm: "
                            "{{include: […]}} or {{exclude: […]}}; confirm: {{}} takes all.",
                            reason, candidates.include.size(), rows_of(candidates.include))},
      {"candidates", candidates_json(candidates, tools.answer_bytes())}};
  add_warnings(candidates, body);
  return protocol::structured_result(std::move(body));
}

Result<protocol::ToolResult> confirmed(const DatasetTools& tools, const PatternRequest& request,
                                       const Candidates& candidates, const std::vector<Candidate>& chosen,
                                       const catalog::Context& context) {
  if (chosen.size() > kTokenValuesMax) {
    return limit_reached("values of a filter", kTokenValuesMax)
        .with_code("too_many_values")
        .with_hint("Use a narrower pattern, or a filter with normalized_contains.");
  }
  std::vector<std::string> values;
  std::uint64_t bytes = 0;
  for (const Candidate& one : chosen) {
    values.push_back(one.value);
    bytes += one.value.size() + 3;
  }
  if (bytes > tools.answer_bytes()) {
    return limit_reached("bytes of a filter_token", tools.answer_bytes())
        .with_code("too_many_values")
        .with_hint("Use a narrower pattern, or a filter with normalized_contains.");
  }
  json::Object body{{"status", "confirmed"},
                    {"diagnostics", json::Object{{"matched", chosen.size()},
                                                 {"rows", rows_of(chosen)},
                                                 {"excluded", candidates.exclude.size()}}}};
  if (chosen.empty()) {
    body.set("hint",
             "No value matches: nothing to filter by. Try mode permissive, other words, or distinct_values.");
  } else {
    body.set("filter_token", filter_token(tools, tools.caller_of(context), request.field, values));
  }
  add_warnings(candidates, body);
  return protocol::structured_result(std::move(body));
}

// The caller's own choice: those of `include`, or all but those of `exclude`.
Result<std::vector<Candidate>> choose(const Candidates& candidates, const json::Object& confirm) {
  const json::ObjectReader in(confirm, "confirm");
  SLUICE_TRY(const std::vector<std::string> include, in.optional_strings("include"));
  SLUICE_TRY(const std::vector<std::string> exclude, in.optional_strings("exclude"));
  const std::set<std::string> wanted(include.begin(), include.end());
  const std::set<std::string> unwanted(exclude.begin(), exclude.end());
  std::vector<Candidate> out;
  for (const std::vector<Candidate>* list : {&candidates.include, &candidates.exclude}) {
    const bool left_out = list == &candidates.exclude;
    for (const Candidate& one : *list) {
      const bool named = wanted.contains(one.value);
      if (unwanted.contains(one.value) || (left_out && !named) || (!wanted.empty() && !named)) continue;
      out.push_back(one);
    }
  }
  if (out.size() < wanted.size()) {
    return invalid_input("confirm.include names a value that is no candidate")
        .with_code("invalid_confirmation")
        .with_hint("Copy the values from candidates.include or candidates.exclude.");
  }
  return out;
}

// One question for each of the most frequent values, and one for all others.
protocol::ElicitForm form_of(const Candidates& candidates, const PatternRequest& request) {
  json::Object properties;
  const std::size_t asked = std::min(candidates.include.size(), kAskedMax);
  for (std::size_t i = 0; i < asked; ++i) {
    const Candidate& one = candidates.include[i];
    properties.set(fmt::format("value_{}", i),
                   json::Object{{"type", "boolean"},
                                {"title", excerpt(one.value, 200)},
                                {"description", fmt::format("{} rows", one.count)},
                                {"default", true}});
  }
  if (const std::size_t others = candidates.include.size() - asked; others > 0) {
    properties.set(
        "others", json::Object{{"type", "boolean"},
                               {"title", fmt::format("Include the other {} values, which are rarer", others)},
                               {"default", true}});
  }
  return {.message = fmt::format("Which values of '{}' are meant?", excerpt(request.field)),
          .schema = json::Object{{"type", "object"}, {"properties", std::move(properties)}}};
}

std::vector<Candidate> answered(const Candidates& candidates, const json::Object& content) {
  const auto says_no = [&content](const std::string& key) {
    const json::Value* value = content.find(key);
    return value != nullptr && value->if_bool() != nullptr && !*value->if_bool();
  };
  std::vector<Candidate> out;
  for (std::size_t i = 0; i < candidates.include.size(); ++i) {
    if (!says_no(i < kAskedMax ? fmt::format("value_{}", i) : "others")) out.push_back(candidates.include[i]);
  }
  return out;
}

}  // namespace

Result<protocol::ToolResult> pattern_filter(const DatasetTools& tools, const json::Object& arguments,
                                            catalog::Context& context) {
  SLUICE_TRY(const Subject subject, tools.open(arguments, context));
  SLUICE_TRY(const PatternRequest request, read_request(arguments, subject));
  SLUICE_TRY(const Candidates candidates, find_candidates(subject, request, context));
  if (const json::Value* confirm = arguments.find("confirm");
      confirm != nullptr && confirm->if_object() != nullptr) {
    SLUICE_TRY(const std::vector<Candidate> chosen, choose(candidates, *confirm->if_object()));
    return confirmed(tools, request, candidates, chosen, context);
  }
  constexpr double kThreshold = 0.8;
  SLUICE_TRY(const std::optional<double> threshold,
             json::ObjectReader(arguments, "").optional_number("confirm_threshold"));
  const std::string reason = doubt(candidates, request.mode, threshold.value_or(kThreshold));
  if (reason.empty()) return confirmed(tools, request, candidates, candidates.include, context);
  protocol::ElicitForm form = form_of(candidates, request);
  if (!context.can_ask(form)) return needs_confirmation(tools, candidates, request, reason);
  SLUICE_TRY(const protocol::ElicitAnswer answer, context.ask_form("pattern", std::move(form)));
  if (answer.action != protocol::ElicitAction::kAccept)
    return needs_confirmation(tools, candidates, request, "nobody has confirmed yet");
  return confirmed(tools, request, candidates, answered(candidates, answer.content), context);
}

}  // namespace sluice::datasets
