#include "sluice/engine/value_set.h"

namespace sluice::engine {

std::string value_set_text(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) ((out += std::to_string(text.size())) += ':') += text;
  return out;
}

}  // namespace sluice::engine
