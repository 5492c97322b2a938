#include "sluice/query/dataset.h"

#include "sluice/base/uri.h"

namespace sluice::query {

namespace {

// Slashes stay: a name is a path within its collection.
std::string encode_path(std::string_view path) {
  std::string out;
  while (true) {
    const std::size_t slash = path.find('/');
    out += percent_encode(path.substr(0, slash));
    if (slash == std::string_view::npos) return out;
    out += '/';
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

std::string Dataset::uri(std::string_view part) const {
  std::string out = collection().scheme + "://";
  if (identity_.dimensions.empty()) out += encode_path(name()) + "/";
  for (const std::string& value : identity_.dimensions) out += percent_encode(value) + "/";
  return out + std::string(part);
}

void Dataset::set_row_count(std::uint64_t rows) const {
  row_count_.store(rows, std::memory_order_release);
  count_state_.store(CountState::kExact, std::memory_order_release);
}

}  // namespace sluice::query
