#include "substitute.h"

#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

namespace sluice::config {

Result<std::string> substitute(std::string_view text, const Environment& environment) {
  std::string out;
  while (true) {
    const std::size_t open = text.find("${");
    if (open == std::string_view::npos) return out += text;
    if (open > 0 && text[open - 1] == '$') {
      out += text.substr(0, open - 1);
      out += "${";
      text.remove_prefix(open + 2);
      continue;
    }
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos)
      return invalid_input(fmt::format("\"${{\" without \"}}\": {}", excerpt(text)));
    const std::string name(text.substr(open + 2, close - open - 2));
    const std::optional<std::string> value = environment(name);
    if (!value) return invalid_input(fmt::format("the environment variable {} is not set", excerpt(name)));
    out += text.substr(0, open);
    out += *value;
    text.remove_prefix(close + 1);
  }
}

}  // namespace sluice::config
