#include "portal/portal_view.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/uri.h"
#include "sluice/base/utf8.h"

#include "portal/portal_text.h"

namespace sluice::ckan {

namespace {

std::string filled(std::string pattern, const std::vector<std::pair<std::string_view, std::string>>& values) {
  for (const auto& [name, value] : values) {
    const std::string mark = "{" + std::string(name) + "}";
    for (std::size_t at = pattern.find(mark); at != std::string::npos;
         at = pattern.find(mark, at + value.size()))
      pattern.replace(at, mark.size(), value);
  }
  return pattern;
}

std::uint64_t whole_number(const json::Value& value) {
  const json::Number* number = value.if_number();
  return number == nullptr
             ? 0
             : static_cast<std::uint64_t>(std::max<std::int64_t>(0, number->as_int64().value_or(0)));
}

}  // namespace

std::uint64_t count_of(const json::Value& value, std::string_view key) {
  const json::Value* count = value.find(key);
  return count == nullptr ? 0 : whole_number(*count);
}

namespace {

const json::Array& array_of(const json::Value* list) {
  static const json::Array kNone;
  return list == nullptr || list->if_array() == nullptr ? kNone : *list->if_array();
}

}  // namespace

const json::Array& list_of(const json::Value& value, std::string_view key) {
  return array_of(value.find(key));
}
const json::Array& list_of(const json::Object& object, std::string_view key) {
  return array_of(object.find(key));
}

json::Value member_of(const json::Value& value, std::string_view key) {
  const json::Value* member = value.find(key);
  return member == nullptr ? json::Value() : *member;
}

json::Value field_of(const json::Value& dataset, std::string_view key) {
  if (const json::Value* member = dataset.find(key); member != nullptr && !member->is_null()) return *member;
  for (const json::Value& extra : list_of(dataset, "extras")) {
    if (text_of(extra, "key") == key) return member_of(extra, "value");
  }
  return nullptr;
}

std::string organization_of(const json::Value& dataset) {
  const json::Value organization = member_of(dataset, "organization");
  std::string title = text_of(organization, "title");
  return title.empty() ? text_of(organization, "name") : title;
}

json::Array tag_names(const json::Value& dataset) {
  json::Array out;
  for (const json::Value& tag : list_of(dataset, "tags")) {
    std::string name = tag.if_string() == nullptr ? text_of(tag, "name") : *tag.if_string();
    if (!name.empty()) out.emplace_back(std::move(name));
  }
  return out;
}

std::string cut(std::string_view text, std::size_t characters) {
  const std::string_view first = first_characters(text, characters);
  return std::string(first) + (first.size() < text.size() ? "..." : "");
}

std::vector<FacetItem> facet_items(const json::Value& search_result, const std::string& field) {
  std::vector<FacetItem> out;
  const json::Value detailed = member_of(member_of(search_result, "search_facets"), field);
  for (const json::Value& item : list_of(detailed, "items")) {
    FacetItem read{.name = text_of(item, "name"),
                   .display_name = text_of(item, "display_name"),
                   .count = count_of(item)};
    if (read.display_name.empty()) read.display_name = read.name;
    out.push_back(std::move(read));
  }
  if (out.empty()) {
    const json::Value plain = member_of(member_of(search_result, "facets"), field);
    if (const json::Object* object = plain.if_object()) {
      for (const json::Member& member : *object)
        out.push_back({.name = member.key, .display_name = member.key, .count = whole_number(member.value)});
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const FacetItem& a, const FacetItem& b) { return a.count > b.count; });
  return out;
}

std::string dataset_url(const Portal& portal, std::string_view id, std::string_view name) {
  const std::string& own = portal.spec.dataset_url;
  return filled(own.empty() ? "{server_url}/dataset/{name}" : own,
                {{"server_url", portal.server_url()},
                 {"id", percent_encode(id)},
                 {"name", percent_encode(name.empty() ? id : name)}});
}

std::string organization_url(const Portal& portal, std::string_view name) {
  const std::string& own = portal.spec.organization_url;
  return filled(
      own.empty() ? "{server_url}/organization/{name}" : own,
      {{"server_url", portal.server_url()}, {"id", percent_encode(name)}, {"name", percent_encode(name)}});
}

std::string whole_uri(const Portal& portal, std::string_view type, std::string_view id) {
  std::string authority = portal.spec.host;
  if (authority.empty() && portal.base.path() == "/") {
    authority = portal.base.origin();
    authority.erase(0, authority.find("://") + 3);
  }
  if (authority.empty() || id.empty()) return {};
  return fmt::format("ckan://{}/{}/{}?offset=0", authority, type, percent_encode(id));
}

std::string api_url(const Portal& portal, std::string_view action, std::string_view parameter,
                    std::string_view value) {
  const Result<fetch::Url> url =
      portal.action_url(action, std::string(parameter) + "=" + percent_encode(value));
  return url.ok() ? url->text() : std::string();
}

}  // namespace sluice::ckan
