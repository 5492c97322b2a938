#include "portal/relevance.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sluice/text/words.h"

#include "portal/portal_text.h"
#include "portal/portal_view.h"

namespace sluice::ckan {

namespace {

constexpr std::size_t kTermsMax = 32;
constexpr std::size_t kPartBytesMax = 64 * 1024;

std::string part_of(const json::Value& dataset, std::string_view name) {
  const auto as_text = [](const json::Value& value) {
    return value.if_string() == nullptr ? std::string() : *value.if_string();
  };
  if (name == "tags") {
    std::string out;
    for (const json::Value& tag : tag_names(dataset)) (out += *tag.if_string()) += '\n';
    return out;
  }
  if (name == "organization") {
    const json::Value organization = member_of(dataset, "organization");
    return text_of(organization, "title") + "\n" + text_of(organization, "name");
  }
  if (name == "holder") return as_text(field_of(dataset, "holder_name"));
  if (name == "publisher") return as_text(field_of(dataset, "publisher_name"));
  if (name == "title") return text_of(dataset, "title") + "\n" + text_of(dataset, "name");
  return text_of(dataset, name);
}

// A number as people write it: 4, not 4.0.
json::Value number_of(double value) {
  const auto rounded = static_cast<std::int64_t>(value);
  return static_cast<double>(rounded) == value ? json::Value(rounded) : json::Value(value);
}

}  // namespace

std::vector<std::string> terms_of(std::string_view query) {
  std::vector<std::string> out;
  for (text::Word& word : text::words(query)) {
    const bool is_new = std::find(out.begin(), out.end(), word.text) == out.end();
    if (word.text.size() > 1 && is_new && out.size() < kTermsMax) out.push_back(std::move(word.text));
  }
  return out;
}

Score score_of(const json::Value& dataset, const std::vector<std::string>& terms, const Weights& weights) {
  Score out;
  for (const Weighted& weighted : weights) {
    std::set<std::string, std::less<>> words;
    for (text::Word& word :
         text::words(std::string_view(part_of(dataset, weighted.name)).substr(0, kPartBytesMax)))
      words.insert(std::move(word.text));
    const auto found = static_cast<double>(std::count_if(
        terms.begin(), terms.end(), [&](const std::string& term) { return words.contains(term); }));
    out.total += found * weighted.weight;
    out.breakdown.set(std::string(weighted.name), number_of(found * weighted.weight));
  }
  out.breakdown.set("total", number_of(out.total));
  return out;
}

}  // namespace sluice::ckan
