#pragma once

#include <sys/stat.h>

#include <chrono>

#include "sluice/base/clock.h"

namespace sluice::fs {

inline WallTime modified_time(const struct stat& found) {
  // A file system may hold times that a 64-bit count of nanoseconds cannot: they become its ends.
  constexpr auto kSecondsMax =
      std::chrono::floor<std::chrono::seconds>(WallTime::duration::max()).count() - 1;
  if (found.st_mtim.tv_sec > kSecondsMax) return WallTime::max();
  if (found.st_mtim.tv_sec < -kSecondsMax) return WallTime::min();
  return WallTime(std::chrono::duration_cast<WallTime::duration>(
      std::chrono::seconds(found.st_mtim.tv_sec) + std::chrono::nanoseconds(found.st_mtim.tv_nsec)));
}

}  // namespace sluice::fs
