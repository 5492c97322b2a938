// A template and a URI: matching ends, and values that were matched expand to something that matches again.
#include "sluice/base/uri_template.h"

#include "property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [template_text, uri] = two_texts(text_of(data, size));
  const sluice::Result<sluice::UriTemplate> parsed = sluice::UriTemplate::parse(template_text);
  if (!parsed) return 0;
  require(parsed->text() == template_text, "a template is kept as it came");
  const std::optional<sluice::TemplateValues> values = parsed->match(uri);
  if (!values) return 0;
  for (const auto& [name, value] : *values) {
    bool known = false;
    for (const std::string& declared : parsed->variable_names()) known = known || declared == name;
    require(known, "only declared variables are matched");
  }
  const sluice::Result<std::string> expanded = parsed->expand(*values);
  if (expanded) require(parsed->expand(*values).value() == *expanded, "expansion is deterministic");
  return 0;
}
