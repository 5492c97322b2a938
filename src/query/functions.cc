#include "sluice/query/functions.h"

#include "sluice/text/normalize.h"

#include "decimal_number.h"

namespace sluice::query {

std::vector<engine::TextFunction> engine_functions() {
  return {{.name = "normalize_text", .apply = [](std::string_view text) { return text::normalize(text); }},
          {.name = "number_key", .apply = [](std::string_view text) { return number_key(text); }}};
}

}  // namespace sluice::query
