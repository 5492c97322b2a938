#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sluice/base/result.h"

namespace sluice {

// The value of a template variable: text, a list, or an ordered set of pairs (RFC 6570 section 2.3).
using TemplateList = std::vector<std::string>;
using TemplatePairs = std::vector<std::pair<std::string, std::string>>;
using TemplateValue = std::variant<std::string, TemplateList, TemplatePairs>;
using TemplateValues = std::map<std::string, TemplateValue, std::less<>>;

// A URI template, RFC 6570 levels 1 to 4: expanded into URIs, and matched against them the other way round.
class UriTemplate {
 public:
  static Result<UriTemplate> parse(std::string_view text);

  const std::string& text() const { return text_; }
  std::vector<std::string> variable_names() const;  // In order of first appearance.

  // An undefined variable expands to nothing, as the RFC says; an empty list or set counts as undefined.
  // Fails where a prefix modifier meets a list or a set, and where the URI would exceed kUriBytesMax.
  Result<std::string> expand(const TemplateValues& values) const;

  // The values that make this template expand to `uri`, or nothing. Values are percent-decoded and valid
  // UTF-8; they may hold any character, '/' and NUL included. An exploded variable gives a list or pairs,
  // everything else text.
  //
  // - `{id}` and `{+path}` match at least one character, so that `users/{id}` does not claim `users/`. An
  //   expression with another operator may be absent: its variables are then undefined.
  // - A value of `{id}`, `{.id}`, `{/id}` or `{;id}` does not cross '/', '?' or '#'; `{+path}` and `{#path}`
  // do.
  // - The parameters of `{?a,b}`, `{&a,b}` and `{;a,b}` come in any order, each at most once; an unknown
  //   parameter does not match, and the expression ends where a parameter ends.
  // - Where several readings are possible a variable takes as much as it can, except that it leaves what it
  // can
  //   to an expression with an operator right behind it: `{name}{.format}`, `{+path}{?page}`.
  // - A variable that appears twice must have one value in the reading found; `{id:2}/{id}` agree by prefix.
  //
  // Work is bounded by kTemplateMatchStepsMax; a URI that needs more does not match.
  std::optional<TemplateValues> match(std::string_view uri) const;

  struct Variable {
    std::string name;
    bool explode = false;
    std::size_t prefix_characters = 0;  // 0: no prefix modifier.
  };
  struct Expression {
    char op = 0;  // 0 for simple, else one of + # . / ; ? &
    std::vector<Variable> variables;
  };
  using Part = std::variant<std::string, Expression>;  // Literal text, already encoded, or an expression.
  const std::vector<Part>& parts() const { return parts_; }

 private:
  std::string text_;
  std::vector<Part> parts_;
};

}  // namespace sluice
