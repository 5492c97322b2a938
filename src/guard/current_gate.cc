#include "sluice/guard/current_gate.h"

#include <utility>

namespace sluice::guard {

Result<std::shared_ptr<CurrentGate>> CurrentGate::create(const AccessSpec& spec, const Clock& clock) {
  std::shared_ptr<CurrentGate> current(new CurrentGate(clock));
  SLUICE_TRY(const Prepared prepared, current->prepare(spec));
  current->commit(prepared);
  return current;
}

std::shared_ptr<AccessGate> CurrentGate::gate() const {
  const MutexLock lock(mutex_);
  return gate_;
}

Result<CurrentGate::Prepared> CurrentGate::prepare(const AccessSpec& spec) {
  Prepared out{.spec = spec, .issuers = {}, .gate = nullptr};
  if (gate() != nullptr && spec == spec_) return out;
  SLUICE_CHECK(StaticTokens::create(spec.tokens));  // Before threads are started for nothing.
  SLUICE_TRY(out.issuers, issuers_.open(spec.issuers));
  SLUICE_TRY(out.gate, AccessGate::create(spec, out.issuers, clock_));
  return out;
}

void CurrentGate::commit(const Prepared& prepared) {
  if (prepared.gate == nullptr) return;
  const std::shared_ptr<AccessGate> before = gate();
  {
    const MutexLock lock(mutex_);
    gate_ = prepared.gate;
  }
  spec_ = prepared.spec;
  if (before != nullptr) before->retire();
  issuers_.keep_only(prepared.issuers);
}

void CurrentGate::authenticate(const catalog::Credentials& credentials, AdmissionDone done) {
  gate()->authenticate(credentials, std::move(done));
}

std::optional<Refusal> CurrentGate::allow(const catalog::Caller& caller,
                                          const std::vector<catalog::Operation>& operations) {
  return gate()->allow(caller, operations);
}

}  // namespace sluice::guard
