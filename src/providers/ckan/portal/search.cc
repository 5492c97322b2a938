#include "portal/search.h"

#include <utility>

#include "portal/portal_view.h"
#include "portal/search_syntax.h"

namespace sluice::ckan {

namespace {

// Whether a portal that nobody knows finds much more in the field `text`.
Result<bool> finds_more_in_text(const ToolCall& call) {
  constexpr std::string_view kWords = "data OR dati";
  SLUICE_TRY(const ActionResultPtr usual,
             call.get("package_search", {{"q", std::string(kWords)}, {"rows", "0"}}));
  SLUICE_TRY(const ActionResultPtr in_text,
             call.get("package_search", {{"q", "text:(" + std::string(kWords) + ")"}, {"rows", "0"}}));
  const std::uint64_t count = count_of(usual->value);
  const std::uint64_t text_count = count_of(in_text->value);
  return text_count > 2 * count;
}

Result<bool> uses_text_field(const ToolCall& call, const std::string& q) {
  const std::string parser = call.in.text("query_parser");
  if (!parser.empty()) return parser == "text";
  if (call.portal.spec.text_field) return *call.portal.spec.text_field;
  if (in_text_field(q) == q) return false;  // It makes no difference.
  const Result<bool> more = finds_more_in_text(call);
  // A portal that fails at this question may answer the real one.
  return more.ok() && *more;
}

Result<ActionResultPtr> search_packages(const ToolCall& call, const SearchWords& words,
                                        const std::string& q) {
  Parameters parameters = words.others;
  parameters["q"] = q;
  return call.get("package_search", parameters);
}

}  // namespace

Result<SearchOutcome> search(const ToolCall& call, const SearchWords& words) {
  const std::string dated = with_dates(words.q, call.api.clock().wall());
  SLUICE_TRY(const bool in_text, uses_text_field(call, dated));
  SearchOutcome out;
  out.q = in_text ? in_text_field(dated) : dated;
  SLUICE_TRY(out.result, search_packages(call, words, out.q));
  const std::string plain = without_accents(dated);
  if (count_of(out.result->value) > 0 || plain == dated) return out;
  const std::string q = in_text ? in_text_field(plain) : plain;
  SLUICE_TRY(ActionResultPtr again, search_packages(call, words, q));
  if (count_of(again->value) == 0) return out;
  return SearchOutcome{.result = std::move(again), .q = q, .without_accents = true};
}

std::string facet_fields(const std::vector<std::string>& names) {
  json::Array list;
  for (const std::string& name : names) list.emplace_back(name);
  return json::to_text(json::Value(std::move(list)));
}

}  // namespace sluice::ckan
