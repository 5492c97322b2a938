#include "dialect.h"

#include <algorithm>

namespace sluice::server::testing {

std::vector<Dialect> every_legacy_dialect() {
  std::vector<Dialect> dialects = every_dialect();
  std::erase_if(dialects, [](const Dialect& dialect) { return dialect.modern(); });
  return dialects;
}

std::vector<Dialect> every_dialect() {
  std::vector<Dialect> dialects;
  for (const Revision revision : protocol::kAllRevisions) {
    dialects.push_back({revision, Transport::kPipe});
    dialects.push_back({revision, Transport::kHttp});
  }
  return dialects;
}

std::vector<Dialect> both_eras() { return {kModernPipe, kModernHttp, kLegacyPipe, kLegacyHttp}; }

std::string to_string(const Dialect& dialect) {
  std::string name = dialect.pipe() ? "Pipe_" : "Http_";
  name += protocol::to_string(dialect.revision);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

void PrintTo(const Dialect& dialect, std::ostream* out) { *out << to_string(dialect); }

std::string dialect_name(const ::testing::TestParamInfo<Dialect>& info) { return to_string(info.param); }

}  // namespace sluice::server::testing
