#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/catalog/gate.h"
#include "sluice/guard/access_gate.h"
#include "sluice/guard/access_spec.h"
#include "sluice/guard/issuers.h"

namespace sluice::guard {

// The gate of the configuration that is served, which another one can replace while the server runs. Any
// thread, except that one thread at a time may call `prepare` and `commit`.
class CurrentGate final : public catalog::Gate {
 public:
  // `clock` must outlive it.
  static Result<std::shared_ptr<CurrentGate>> create(const AccessSpec& spec, const Clock& clock);

  struct Prepared {
    AccessSpec spec;
    std::vector<std::shared_ptr<const Issuer>> issuers;  // Shared with `gate` and with their threads.
    std::shared_ptr<AccessGate> gate;                    // Null: nothing changes.
  };
  // Checks new rules and begins to load keys of new issuers; those that stay the same keep theirs.
  Result<Prepared> prepare(const AccessSpec& spec);
  // From the next request on callers are admitted by these rules.
  void commit(const Prepared& prepared);

  bool requires_token() const { return gate()->requires_token(); }
  void authenticate(const catalog::Credentials& credentials, AdmissionDone done) override;
  bool limits_operations() const override { return gate()->limits_operations(); }
  std::optional<Refusal> allow(const catalog::Caller& caller,
                               const std::vector<catalog::Operation>& operations) override;
  std::optional<std::string> metadata_at(std::string_view path) const { return gate()->metadata_at(path); }

 private:
  explicit CurrentGate(const Clock& clock) : clock_(clock), issuers_(clock) {}
  std::shared_ptr<AccessGate> gate() const;

  const Clock& clock_;
  mutable Mutex mutex_;
  std::shared_ptr<AccessGate> gate_
      SLUICE_GUARDED_BY(mutex_);  // Shared with callers that are being verified.
  AccessSpec spec_;               // Of `commit`.
  Issuers issuers_;  // Of `prepare` and `commit`. Last: its threads end before what they answer is destroyed.
};

}  // namespace sluice::guard
