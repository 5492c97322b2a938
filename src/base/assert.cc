#include "sluice/base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace sluice {

// The logger may be what failed, or may hold a lock of this thread; stderr needs neither.
void fail_assertion(const AssertionPlace& place, const char* message) noexcept {
  std::fprintf(stderr, "%s:%d: assertion failed: %s: %s\n", place.file, place.line, place.expression,
               message);
  std::abort();
}

}  // namespace sluice
