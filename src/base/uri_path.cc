#include "sluice/base/uri_path.h"

#include "sluice/base/uri.h"

namespace sluice {

std::string percent_encode_path(std::string_view path) {
  std::string out;
  while (true) {
    const std::size_t slash = path.find('/');
    out += percent_encode(path.substr(0, slash));
    if (slash == std::string_view::npos) return out;
    out += '/';
    path.remove_prefix(slash + 1);
  }
}

}  // namespace sluice
