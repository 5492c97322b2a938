#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sluice/base/caller_identity.h"
#include "sluice/base/clock.h"
#include "sluice/base/error.h"
#include "sluice/base/principal.h"

namespace sluice {

// How long a decision about a caller holds for the same credentials. Immutable; any thread.
class AdmissionLease {
 public:
  // Shared with whoever ends the decision early: an issuer's key, the rules of the server.
  using Ended = std::shared_ptr<const std::atomic<bool>>;

  AdmissionLease(std::vector<Ended> ended, Monotonic until) : ended_(std::move(ended)), until_(until) {}

  bool is_good(Monotonic now) const {
    return now < until_ &&
           std::none_of(ended_.begin(), ended_.end(), [](const Ended& each) { return each->load(); });
  }

 private:
  const std::vector<Ended> ended_;
  const Monotonic until_;
};

struct Admitted {
  Principal principal;
  // Shared by the requests of one token. Null: the caller has no token of an identity provider.
  std::shared_ptr<const CallerIdentity> identity = nullptr;
  // Shared by those who remember the decision. Null: it holds for one request.
  std::shared_ptr<const AdmissionLease> lease = nullptr;
};

struct Refusal {
  Error error;                          // Its kind decides the status of a response.
  std::string challenge = {};           // The WWW-Authenticate header; empty for none.
  std::chrono::seconds retry_after{0};  // 0: nothing is said about it.
};

using Admission = std::variant<Admitted, Refusal>;
// Takes an answer once, on any thread.
using AdmissionDone = std::function<void(Admission)>;

}  // namespace sluice
