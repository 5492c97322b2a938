#include "report.h"

#include <cstdio>
#include <cstdlib>

namespace sluice::cli {

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

int fail(const Error& error) {
  std::fprintf(stderr, "sluice: %s\n", error.message.c_str());
  if (!error.hint.empty()) std::fprintf(stderr, "        %s\n", error.hint.c_str());
  return error.code == "usage" ? kUsage : kFailed;
}

}  // namespace sluice::cli
