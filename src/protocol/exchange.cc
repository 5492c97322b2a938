#include "sluice/protocol/exchange.h"

namespace sluice::protocol {

std::string HttpHead::field(std::string_view name) const {
  std::string out;
  for (const auto& [key, value] : fields) {
    if (key == name) out.append(out.empty() ? "" : ", ").append(value);
  }
  return out;
}

}  // namespace sluice::protocol
