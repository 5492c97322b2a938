#include "sluice/base/random.h"

#include <sys/random.h>

#include <cerrno>
#include <cstdlib>

#include "sluice/base/log.h"

namespace sluice {

// Not std::random_device: linked into the program, it would need a newer C library than everything else does.
std::uint64_t random_number() {
  std::uint64_t number = 0;
  // So few bytes are never cut short; only a signal while the kernel starts can interrupt the call.
  while (::getrandom(&number, sizeof(number), 0) != static_cast<::ssize_t>(sizeof(number))) {
    if (errno == EINTR) continue;
    log::error("random.unavailable");
    std::abort();
  }
  return number;
}

}  // namespace sluice
