#include "sluice/query/functions.h"

#include "sluice/text/normalize.h"

namespace sluice::query {

std::vector<engine::TextFunction> engine_functions() {
  return {{.name = "normalize_text", .apply = [](std::string_view text) { return text::normalize(text); }}};
}

}  // namespace sluice::query
