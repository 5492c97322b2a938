#pragma once

#include <memory>
#include <vector>

#include "sluice/base/background_thread.h"
#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/guard/access_spec.h"
#include "sluice/guard/introspection.h"
#include "sluice/guard/key_source.h"

namespace sluice::guard {

// One identity provider as tokens are verified with it.
struct Issuer {
  IssuerSpec spec;
  std::shared_ptr<KeySource> keys;  // Shared with its thread.
  std::shared_ptr<Introspection>
      introspection;  // Shared with its threads. Null: its opaque tokens are not accepted.
};

// The identity providers of a configuration, with the threads that load their keys and ask about their
// tokens. One that stays the same in a new configuration keeps its keys. One thread at a time.
class Issuers {
 public:
  // `clock` must outlive it.
  explicit Issuers(const Clock& clock) : clock_(clock) {}

  // Begins to load keys of those that are new. Nothing ends.
  Result<std::vector<std::shared_ptr<const Issuer>>> open(const std::vector<IssuerSpec>& specs);

  // The threads of all other issuers end; whoever waits for them gets a failure.
  void keep_only(const std::vector<std::shared_ptr<const Issuer>>& issuers);

 private:
  struct Running {
    std::shared_ptr<const Issuer> issuer;  // Shared with the gates that verify with it.
    std::vector<BackgroundThread> threads;
  };

  Result<Running> start(const IssuerSpec& spec) const;

  const Clock& clock_;
  std::vector<Running> running_;
};

}  // namespace sluice::guard
