#include "sluice/query/functions.h"

#include "sluice/plan/decimal_number.h"
#include "sluice/text/normalize.h"

namespace sluice::query {

std::vector<engine::TextFunction> engine_functions() {
  return {{.name = "normalize_text", .apply = [](std::string_view text) { return text::normalize(text); }},
          {.name = "number_key", .apply = [](std::string_view text) { return plan::number_key(text); }}};
}

}  // namespace sluice::query
