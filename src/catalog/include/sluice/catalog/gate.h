#pragma once

#include <string_view>

#include "sluice/base/principal.h"
#include "sluice/base/result.h"

namespace sluice::catalog {

// Decides who is calling and what they may do. Any thread; never blocks for long.
class Gate {
 public:
  virtual ~Gate() = default;

  // From the Authorization header, empty where there is none. Fails with kUnauthenticated or kForbidden.
  virtual Result<Principal> authenticate(std::string_view authorization) = 0;
  // Before a request is dispatched. `target` is the name or URI the method is about, or empty.
  virtual Status allow(const Principal& principal, std::string_view method, std::string_view target) = 0;
};

}  // namespace sluice::catalog
