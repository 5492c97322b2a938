#include "endpoint.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/base/uri.h"
#include "sluice/catalog/provider.h"

#include "parameter_value.h"
#include "query_pairs.h"

namespace sluice::apis {

namespace {

constexpr std::size_t kNameBytes = 64;
constexpr std::size_t kParametersMax = 32;

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_parameter_name(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytes && !(name[0] >= '0' && name[0] <= '9') &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_alphanumeric(c) || c == '_'; });
}

// What stands in a path as it is. Anything else has to be written as its escape.
bool is_path_text(std::string_view text) {
  constexpr std::string_view kMarks = "-._~!$&()*+,;=:@%/";
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_alphanumeric(c) || kMarks.find(c) != std::string_view::npos; });
}

}  // namespace

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytes &&
         name.find_first_not_of('.') != std::string_view::npos &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

Error invalid_api(std::string_view what) { return invalid_input(what).with_code("invalid_api"); }

Result<Endpoint> Endpoint::compile(const std::string& api, const fetch::Url& base, const EndpointSpec& spec) {
  if (!is_plain_name(spec.name))
    return invalid_api(fmt::format("not a name of an endpoint: {}", excerpt(spec.name)));
  Endpoint out;
  out.spec_ = spec;
  out.base_ = base;
  out.uri_ = fmt::format("api://{}/{}", api, spec.name);
  SLUICE_CHECK(out.compile_path());
  SLUICE_CHECK(out.compile_query());
  SLUICE_CHECK(out.check_parameters());
  return out;
}

Status Endpoint::compile_path() {
  std::string_view rest = spec_.path;
  if (!rest.empty() && !rest.starts_with('/')) return invalid_api("a path begins with a slash");
  while (!rest.empty()) {
    const std::size_t open = std::min(rest.find('{'), rest.size());
    if (!is_path_text(rest.substr(0, open)))
      return invalid_api(fmt::format("a path has a character that must be escaped: {}", excerpt(spec_.path)));
    if (open > 0) path_.push_back({.text = std::string(rest.substr(0, open)), .is_parameter = false});
    rest.remove_prefix(open);
    if (rest.empty()) break;
    const std::size_t close = rest.find('}');
    if (close == std::string_view::npos || !is_parameter_name(rest.substr(1, close - 1)))
      return invalid_api(fmt::format("not a parameter in a path: {}", excerpt(rest)));
    path_.push_back({.text = std::string(rest.substr(1, close - 1)), .is_parameter = true});
    path_parameters_.push_back(path_.back().text);
    rest.remove_prefix(close + 1);
  }
  // With values that are nothing special, the path has to be what is asked for.
  Values values;
  for (const std::string& name : path_parameters_) {
    const ParameterSpec* parameter = find_parameter(name);
    const bool is_listed = parameter != nullptr && !parameter->values.empty();
    values[name] = is_listed ? parameter->values.front() : "x";
  }
  const Result<std::string> path = path_of(values);
  if (!path.ok())
    return invalid_api(fmt::format("a parameter has a value that no path can have: {}", excerpt(spec_.path)));
  const Result<fetch::Url> url = fetch::Url::parse(base_.origin() + *path);
  if (!url.ok() || url->path() != *path)
    return invalid_api(fmt::format("a path that another path is meant by: {}", excerpt(spec_.path)));
  return {};
}

Status Endpoint::compile_query() {
  for (const auto& [key, value] : spec_.query) {
    QueryItem item{.key = key, .value = {.text = value, .is_parameter = false}};
    const bool is_parameter = value.size() > 2 && value.starts_with('{') && value.ends_with('}');
    if (is_parameter) {
      item.value = {.text = value.substr(1, value.size() - 2), .is_parameter = true};
      if (!is_parameter_name(item.value.text))
        return invalid_api(fmt::format("not a parameter in a query: {}", excerpt(value)));
      query_parameters_.push_back(item.value.text);
    }
    query_.push_back(std::move(item));
  }
  return {};
}

Status Endpoint::check_parameters() const {
  std::set<std::string> names;
  for (const auto* list : {&path_parameters_, &query_parameters_}) {
    for (const std::string& name : *list) {
      if (name == "offset" || name == "length")
        return invalid_api(
            "parameters cannot be called offset or length, which read a part of an answer; give it another "
            "name: query: { offset: \"{from}\" }");
      if (!names.insert(name).second)
        return invalid_api(fmt::format("the parameter is used twice: {}", excerpt(name)));
    }
  }
  if (names.size() > kParametersMax) return invalid_api("an endpoint has too many parameters");
  for (const ParameterSpec& parameter : spec_.parameters) {
    if (names.find(parameter.name) == names.end())
      return invalid_api(fmt::format("neither path nor query has the parameter {}", excerpt(parameter.name)));
  }
  const bool is_pointer = spec_.next.starts_with('/');
  if (!spec_.next.empty() && spec_.next != "link" && !is_pointer)
    return invalid_api("pagination.next is \"link\" or a JSON pointer");
  return {};
}

bool Endpoint::needs_parameters() const {
  return !path_parameters_.empty() ||
         std::any_of(spec_.parameters.begin(), spec_.parameters.end(),
                     [](const ParameterSpec& parameter) { return parameter.required; });
}

std::string Endpoint::uri_template() const {
  std::string out = uri_;
  for (const std::string& name : path_parameters_) out += "/{" + name + "}";
  if (!query_parameters_.empty()) out += fmt::format("{{?{}}}", fmt::join(query_parameters_, ","));
  return out;
}

std::string Endpoint::uri_of(const Values& values) const {
  std::string out = uri_;
  for (const std::string& name : path_parameters_) out += "/" + percent_encode(values.at(name));
  char separator = '?';
  for (const std::string& name : query_parameters_) {
    const auto value = values.find(name);
    if (value == values.end()) continue;
    out += std::exchange(separator, '&') + name + "=" + percent_encode(value->second);
  }
  return out;
}

const ParameterSpec* Endpoint::find_parameter(std::string_view name) const {
  const auto found = std::find_if(spec_.parameters.begin(), spec_.parameters.end(),
                                  [&](const ParameterSpec& parameter) { return parameter.name == name; });
  return found == spec_.parameters.end() ? nullptr : &*found;
}

bool Endpoint::allows(const std::string& parameter, const std::string& value) const {
  const ParameterSpec* spec = find_parameter(parameter);
  return spec == nullptr || spec->values.empty() ||
         std::find(spec->values.begin(), spec->values.end(), value) != spec->values.end();
}

Result<std::string> Endpoint::path_of(const Values& values) const {
  std::string out = base_.path();
  if (out.ends_with('/')) out.pop_back();
  for (const Piece& piece : path_) {
    if (!piece.is_parameter) {
      out += piece.text;
      continue;
    }
    const std::string& value = values.at(piece.text);
    if (!is_path_value(value) || !allows(piece.text, value)) return not_found("no such value");
    out += percent_encode(value);
  }
  return out.empty() ? "/" : out;
}

Result<fetch::Url> Endpoint::bind(const Values& values) const {
  SLUICE_TRY(const std::string path, path_of(values));
  std::string query;
  for (const QueryItem& item : query_) {
    std::string value = item.value.text;
    if (item.value.is_parameter) {
      const auto given = values.find(item.value.text);
      if (given == values.end()) {
        const ParameterSpec* spec = find_parameter(item.value.text);
        if (spec == nullptr || !spec->required) continue;
        return invalid_input(fmt::format("Failed to read resource: the parameter {} is required", spec->name))
            .with_code("missing_parameter");
      }
      value = given->second;
      if (!is_query_value(value) || !allows(item.value.text, value)) return not_found("no such value");
    }
    query += (query.empty() ? "?" : "&") + percent_encode(item.key) + "=" + percent_encode(value);
  }
  SLUICE_TRY(fetch::Url url, fetch::Url::parse(base_.origin() + path + query));
  // What was put together is what is asked for, or it is not asked.
  if (url.origin() != base_.origin() || url.path() != path ||
      (url.query() ? "?" + *url.query() : "") != query)
    return not_found("no such value");
  return url;
}

std::optional<Values> Endpoint::match(const fetch::Url& url, const Values& values) const {
  const Result<fetch::Url> own = bind(values);
  if (!own.ok() || own->origin() != url.origin() || own->path() != url.path()) return std::nullopt;
  const std::optional<QueryPairs> pairs = parse_query_pairs(url.query().value_or(""));
  if (!pairs) return std::nullopt;
  Values out;
  for (const std::string& name : path_parameters_) out[name] = values.at(name);
  for (const auto& pair : *pairs) {
    const auto& [key, value] = pair;
    const auto item = std::find_if(query_.begin(), query_.end(),
                                   [&](const QueryItem& each) { return each.key == pair.first; });
    if (item == query_.end()) return std::nullopt;
    if (item->value.is_parameter) {
      if (!out.try_emplace(item->value.text, value).second) return std::nullopt;
    } else if (item->value.text != value) {
      return std::nullopt;
    }
  }
  if (!bind(out).ok()) return std::nullopt;
  return out;
}

}  // namespace sluice::apis
