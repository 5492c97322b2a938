#include "path_pattern.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/query/file_dataset.h"

namespace sluice::collections {

namespace {

Error invalid_pattern(std::string_view what, std::string_view value) {
  return invalid_input(fmt::format("read path pattern: {}: {}", what, excerpt(value)))
      .with_code("invalid_pattern");
}

// Dimensions become arguments of tools, and parts of URI templates.
bool is_dimension_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && name.size() <= 64 && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

Result<PathPattern> PathPattern::parse(std::string_view text) {
  if (text.size() > kPathPatternBytesMax)
    return limit_reached("bytes in a path pattern", kPathPatternBytesMax);
  PathPattern pattern;
  pattern.has_ending_ = query::kind_of_file(text).has_value();
  std::string_view rest = text;
  while (true) {
    const std::size_t slash = rest.find('/');
    const std::string_view component = rest.substr(0, slash);
    if (component.empty() || component == "." || component == "..")
      return invalid_pattern("a part of it is empty or a way out of the folder", text);
    SLUICE_CHECK(pattern.add_component(component));
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  if (pattern.names_.empty()) return invalid_pattern("it names no dimension, such as {year}", text);
  if (pattern.names_.size() > kPatternDimensionsMax)
    return limit_reached("dimensions in a path pattern", kPatternDimensionsMax);
  return pattern;
}

Status PathPattern::add_component(std::string_view text) {
  Component component;
  std::string_view rest = text;
  while (true) {
    const std::size_t brace = rest.find_first_of("{}");
    std::string literal(rest.substr(0, brace));
    const bool is_between = !component.literals.empty() && brace != std::string_view::npos;
    if (is_between && literal.empty())
      return invalid_pattern("two dimensions need something between them", text);
    component.literals.push_back(std::move(literal));
    if (brace == std::string_view::npos) break;
    const std::size_t end = rest.find('}', brace);
    if (rest[brace] == '}' || end == std::string_view::npos)
      return invalid_pattern("a brace has no partner", text);
    std::string name(rest.substr(brace + 1, end - brace - 1));
    if (!is_dimension_name(name)) return invalid_pattern("not the name of a dimension", name);
    if (std::find(names_.begin(), names_.end(), name) != names_.end())
      return invalid_pattern("a dimension stands twice", name);
    names_.push_back(std::move(name));
    rest.remove_prefix(end + 1);
  }
  components_.push_back(std::move(component));
  return {};
}

bool PathPattern::match_component(const Component& component, std::string_view text,
                                  std::vector<std::string>& values) {
  const std::vector<std::string>& literals = component.literals;
  if (literals.size() == 1) return text == literals.front();
  if (!text.starts_with(literals.front())) return false;
  text.remove_prefix(literals.front().size());
  for (std::size_t i = 1; i + 1 < literals.size(); ++i) {
    const std::size_t end = text.find(literals[i], 1);  // A value has at least one character.
    if (end == std::string_view::npos) return false;
    values.emplace_back(text.substr(0, end));
    text.remove_prefix(end + literals[i].size());
  }
  if (text.size() <= literals.back().size() || !text.ends_with(literals.back())) return false;
  text.remove_suffix(literals.back().size());
  values.emplace_back(text);
  return true;
}

std::optional<std::vector<std::string>> PathPattern::match(std::string_view path) const {
  std::vector<std::string> values;
  values.reserve(names_.size());
  for (std::size_t i = 0; i < components_.size(); ++i) {
    const std::size_t slash = path.find('/');
    const bool is_last = i + 1 == components_.size();
    if (is_last != (slash == std::string_view::npos)) return std::nullopt;
    if (!match_component(components_[i], path.substr(0, slash), values)) return std::nullopt;
    if (!is_last) path.remove_prefix(slash + 1);
  }
  return values;
}

}  // namespace sluice::collections
