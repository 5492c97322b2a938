#include "template_completion.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sluice/base/uri.h"
#include "sluice/contents/completion.h"

namespace sluice::templates {

namespace {

// Stands for the variable in a URI; no template encodes it or takes it apart.
constexpr std::string_view kMark = "sluiceCompletedVariable";

// The variable of an owner's template in which the mark stands, and what is around it there.
struct Place {
  UriTemplate owner;
  TemplateValues values;  // Of the owner's template; the variable's holds the mark.
  std::string variable;
  std::string before;  // As the owner's completions spell it.
  std::string after;
};

std::optional<Place> place_in(const protocol::ResourceTemplate& offered, const std::string& marked) {
  Result<UriTemplate> parsed = UriTemplate::parse(offered.uri_template);
  std::optional<TemplateValues> values = parsed.ok() ? parsed->match(marked) : std::nullopt;
  if (!values) return std::nullopt;
  for (const auto& [name, value] : *values) {
    const std::string* text = std::get_if<std::string>(&value);
    const std::size_t at = text == nullptr ? std::string::npos : text->find(kMark);
    if (at == std::string::npos) continue;
    std::string before = contents::template_value(text->substr(0, at));
    std::string after = contents::template_value(text->substr(at + kMark.size()));
    return Place{.owner = *std::move(parsed),
                 .values = *values,
                 .variable = name,
                 .before = std::move(before),
                 .after = std::move(after)};
  }
  return std::nullopt;
}

// The value of our variable that leads to the URI which the owner's value leads to.
std::optional<std::string> own_value(const UriTemplate& target, TemplateValues given,
                                     const std::string& argument, const Place& place,
                                     const std::string& completed) {
  const std::size_t around = place.before.size() + place.after.size();
  if (completed.size() <= around || !completed.starts_with(place.before) || !completed.ends_with(place.after))
    return std::nullopt;
  const std::string middle = completed.substr(place.before.size(), completed.size() - around);
  TemplateValues values = place.values;
  values[place.variable] = completed;
  const Result<std::string> wanted = place.owner.expand(values);
  const Result<std::string> plain = percent_decode(middle);
  for (const std::string& value : {plain.ok() ? *plain : middle, middle}) {
    given[argument] = value;
    const Result<std::string> uri = target.expand(given);
    if (uri.ok() && wanted.ok() && *uri == *wanted) return value;
  }
  return std::nullopt;
}

Result<protocol::Completion> complete_at(const Place& place, catalog::CompletionProvider& owner,
                                         const UriTemplate& target, const TemplateValues& given,
                                         const protocol::CompletionRequest& request,
                                         catalog::Context& context) {
  protocol::CompletionRequest asked{.reference = protocol::TemplateReference{place.owner.text()},
                                    .argument = place.variable,
                                    .typed = place.before + request.typed,
                                    .resolved = {}};
  for (const auto& [name, value] : place.values) {
    const std::string* text = std::get_if<std::string>(&value);
    if (text != nullptr && name != place.variable) asked.resolved.emplace(name, *text);
  }
  SLUICE_TRY(const protocol::Completion found, owner.complete(asked, context));
  protocol::Completion out;
  for (const std::string& completed : found.values) {
    std::optional<std::string> value = own_value(target, given, request.argument, place, completed);
    if (value) out.values.push_back(*std::move(value));
  }
  // Of those that were not sent it is not known how many would fit.
  if (found.total && *found.total == found.values.size()) out.total = out.values.size();
  return out;
}

}  // namespace

Result<protocol::Completion> complete_target(const UriTemplate& target, const Providers& providers,
                                             const protocol::CompletionRequest& request,
                                             catalog::Context& context) {
  TemplateValues given;
  for (const auto& [name, value] : request.resolved) given[name] = value;
  TemplateValues marked = given;
  marked[request.argument] = std::string(kMark);
  const Result<std::string> uri = target.expand(marked);
  const Result<ResourceUri> parsed = uri.ok() ? ResourceUri::parse(*uri) : Result<ResourceUri>(uri.error());
  if (!parsed.ok()) return protocol::Completion{};
  const auto owner = std::find_if(providers.begin(), providers.end(), [&](const auto& provider) {
    return provider->resources() != nullptr && provider->resources()->owns(*parsed);
  });
  if (owner == providers.end() || (*owner)->completions() == nullptr) return protocol::Completion{};
  const catalog::ListQuery everything{
      .after = {}, .limit = static_cast<std::size_t>(-1), .principal = context.principal()};
  for (const protocol::ResourceTemplate& offered : (*owner)->resources()->list_templates(everything)) {
    const std::optional<Place> place = place_in(offered, *uri);
    if (!place) continue;
    SLUICE_TRY(protocol::Completion found,
               complete_at(*place, *(*owner)->completions(), target, given, request, context));
    if (!found.values.empty()) return found;
  }
  return protocol::Completion{};
}

}  // namespace sluice::templates
