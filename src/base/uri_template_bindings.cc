#include "uri_template_bindings.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "sluice/base/utf8.h"

#include "uri_characters.h"
#include "uri_template_operator.h"

namespace sluice {
namespace {

// One name=value of a URI, undecoded; `end` is the position behind it.
struct Parameter {
  std::string_view name;
  std::string_view value;
  std::size_t end = 0;
};

// The parameter at `at`. Ends where the expression's separator stands, or the next component of the URI
// begins.
std::optional<Parameter> parameter_at(std::string_view uri, std::size_t at, char separator) {
  const std::string_view name_excluded = separator == ';' ? "=;/?#" : "=&#";
  const std::string_view value_excluded = separator == ';' ? ";/?#" : "&#";
  const std::size_t name_end = characters_end(uri, at, name_excluded);
  if (name_end == at) return std::nullopt;
  const std::string_view name = uri.substr(at, name_end - at);
  if (name_end == uri.size() || uri[name_end] != '=')
    return Parameter{.name = name, .value = {}, .end = name_end};
  const std::size_t end = characters_end(uri, name_end + 1, value_excluded);
  return Parameter{.name = name, .value = uri.substr(name_end + 1, end - name_end - 1), .end = end};
}

// The variable that a parameter belongs to: the one of that name, else the first exploded one, as a pair of
// it.
const UriTemplate::Variable* owner_of(const UriTemplate::Expression& expression, std::string_view name) {
  const UriTemplate::Variable* exploded = nullptr;
  for (const UriTemplate::Variable& variable : expression.variables) {
    if (variable.name == name) return &variable;
    if (variable.explode && exploded == nullptr) exploded = &variable;
  }
  return exploded;
}

bool agree(std::string_view whole, std::string_view prefix, std::size_t prefix_characters) {
  return first_characters(whole, prefix_characters) == prefix;
}

TemplateValue exploded_parameters(const UriTemplate::Variable& variable,
                                  const std::vector<Parameter>& parameters) {
  const bool is_list = std::all_of(parameters.begin(), parameters.end(),
                                   [&](const Parameter& each) { return each.name == variable.name; });
  TemplateList list;
  TemplatePairs pairs;
  for (const Parameter& parameter : parameters) {
    if (is_list) {
      list.push_back(decode_characters(parameter.value));
    } else {
      pairs.emplace_back(decode_characters(parameter.name), decode_characters(parameter.value));
    }
  }
  if (is_list) return list;
  return pairs;
}

}  // namespace

bool TemplateBindings::add(const UriTemplate::Variable& variable, TemplateValue value) {
  const std::size_t prefix = variable.prefix_characters;
  const auto* text = std::get_if<std::string>(&value);
  if (prefix > 0 && (text == nullptr || !agree(*text, *text, prefix))) return false;
  const auto found = bindings_.find(variable.name);
  if (found == bindings_.end()) {
    bindings_.emplace(variable.name, Binding{.value = std::move(value), .prefix_characters = prefix});
    return true;
  }
  Binding& known = found->second;
  if (prefix == 0 && known.prefix_characters == 0) return known.value == value;
  const auto* known_text = std::get_if<std::string>(&known.value);
  if (text == nullptr || known_text == nullptr) return false;
  const bool new_is_longer = prefix == 0 || (known.prefix_characters > 0 && prefix > known.prefix_characters);
  if (!new_is_longer) return agree(*known_text, *text, prefix);
  if (!agree(*text, *known_text, known.prefix_characters)) return false;
  known = Binding{.value = std::move(value), .prefix_characters = prefix};
  return true;
}

TemplateValues TemplateBindings::take() && {
  TemplateValues values;
  for (auto& [name, binding] : bindings_) values.emplace(name, std::move(binding.value));
  return values;
}

ParameterRun parameter_run(const UriTemplate::Expression& expression, std::string_view uri, std::size_t at) {
  const TemplateOperator shape = template_operator(expression.op);
  ParameterRun run{.ends = {at}, .scanned_bytes = 0};
  std::vector<const UriTemplate::Variable*> seen;
  char mark = shape.first;
  while (at < uri.size() && uri[at] == mark) {
    const std::optional<Parameter> parameter = parameter_at(uri, at + 1, shape.separator);
    if (!parameter) return run;
    run.scanned_bytes += parameter->end - at;
    const UriTemplate::Variable* owner = owner_of(expression, parameter->name);
    if (owner == nullptr) return run;
    if (!owner->explode) {
      if (std::find(seen.begin(), seen.end(), owner) != seen.end()) return run;
      seen.push_back(owner);
    }
    at = parameter->end;
    run.ends.push_back(at);
    mark = shape.separator;
  }
  return run;
}

bool bind_parameters(const UriTemplate::Expression& expression, std::string_view run,
                     TemplateBindings& bindings) {
  const char separator = template_operator(expression.op).separator;
  std::map<const UriTemplate::Variable*, std::vector<Parameter>> exploded;
  for (std::size_t at = 0; at < run.size();) {
    const std::optional<Parameter> parameter = parameter_at(run, at + 1, separator);
    const UriTemplate::Variable* owner = parameter ? owner_of(expression, parameter->name) : nullptr;
    if (owner == nullptr) return false;
    if (owner->explode) {
      exploded[owner].push_back(*parameter);
    } else if (!bindings.add(*owner, decode_characters(parameter->value))) {
      return false;
    }
    at = parameter->end;
  }
  return std::all_of(exploded.begin(), exploded.end(), [&](const auto& each) {
    return bindings.add(*each.first, exploded_parameters(*each.first, each.second));
  });
}

}  // namespace sluice
