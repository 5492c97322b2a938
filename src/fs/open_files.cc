#include "sluice/fs/open_files.h"

#include <sys/resource.h>

#include <algorithm>

namespace sluice::fs {

namespace {

// What is raised further helps nobody, and some libraries walk through all descriptors there could be.
constexpr rlim_t kEnough = 65'536;
constexpr rlim_t kUsual = 1'024;

}  // namespace

std::uint64_t open_files_max() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : kUsual;
}

void raise_open_files_max() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::min(limit.rlim_max, kEnough);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  (void)setrlimit(RLIMIT_NOFILE, &limit);  // Where it fails, there is what there was.
}

}  // namespace sluice::fs
