#include "sluice/engine/utf8_repair.h"

#include <algorithm>
#include <cstddef>

#include "sluice/base/text.h"

namespace sluice::engine {

std::string repair_utf8(std::string_view text) {
  constexpr std::size_t kCharacterBytesMax = 4;
  std::string out;
  out.reserve(text.size() + 8);
  while (!text.empty()) {
    std::size_t size = 1;
    const std::size_t size_max = std::min(text.size(), kCharacterBytesMax);
    while (size <= size_max && !is_valid_utf8(text.substr(0, size))) ++size;
    if (size > size_max) {
      out += "\xef\xbf\xbd";
      text.remove_prefix(1);
    } else {
      out += text.substr(0, size);
      text.remove_prefix(size);
    }
  }
  return out;
}

}  // namespace sluice::engine
