#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/uri_template.h"

namespace sluice {

// The values found so far in a URI. A variable that appears more than once must agree with itself.
class TemplateBindings {
 public:
  // Whether `value` is possible for `variable` beside what is known of it.
  bool add(const UriTemplate::Variable& variable, TemplateValue value);
  TemplateValues take() &&;

 private:
  struct Binding {
    TemplateValue value;
    std::size_t prefix_characters = 0;  // 0: the whole value is known.
  };
  std::map<std::string, Binding, std::less<>> bindings_;
};

// Where a run of the parameters of a named expression that begins at `at` may end: `at` itself, where the
// expression is absent, then the end of each parameter.
struct ParameterRun {
  std::vector<std::size_t> ends;
  std::size_t scanned_bytes = 0;
};
ParameterRun parameter_run(const UriTemplate::Expression& expression, std::string_view uri, std::size_t at);

// `run` is a text that parameter_run accepted.
bool bind_parameters(const UriTemplate::Expression& expression, std::string_view run,
                     TemplateBindings& bindings);

}  // namespace sluice
