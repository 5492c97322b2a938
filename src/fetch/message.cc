#include "sluice/fetch/message.h"

#include <algorithm>

#include "sluice/base/text.h"

namespace sluice::fetch {

const std::string* find_header(const Headers& headers, std::string_view name) {
  const auto found = std::find_if(headers.begin(), headers.end(), [&](const auto& header) {
    return equal_ignoring_case(header.first, name);
  });
  return found == headers.end() ? nullptr : &found->second;
}

}  // namespace sluice::fetch
