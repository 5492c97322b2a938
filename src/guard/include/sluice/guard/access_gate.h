#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/catalog/gate.h"
#include "sluice/guard/access_spec.h"
#include "sluice/guard/challenge.h"
#include "sluice/guard/issuers.h"
#include "sluice/guard/jwt_verification.h"
#include "sluice/guard/static_tokens.h"
#include "sluice/guard/token_cache.h"

namespace sluice::guard {

// Who may use the server, by one configuration: static tokens first, then JSON Web Tokens of the issuers,
// then opaque tokens of the issuer that is asked about them. Without tokens and issuers everybody is the
// local principal. What waits for keys or for an issuer waits without a thread. Any thread.
class AccessGate final : public catalog::Gate, public std::enable_shared_from_this<AccessGate> {
 public:
  // `issuers` are those of `spec.issuers`, in this order. `clock` must outlive it.
  static Result<std::shared_ptr<AccessGate>> create(AccessSpec spec,
                                                    std::vector<std::shared_ptr<const Issuer>> issuers,
                                                    const Clock& clock);

  bool requires_token() const { return !tokens_.empty() || !issuers_.empty(); }
  void authenticate(const catalog::Credentials& credentials, AdmissionDone done) override;
  bool limits_operations() const override { return spec_.scopes.has_value() || !spec_.denied.empty(); }
  // Scopes, of callers with a token of an issuer. A tool that may write needs the scope for writing.
  std::optional<Refusal> allow(const catalog::Caller& caller,
                               const std::vector<catalog::Operation>& operations) override;
  // The metadata of the protected resource, if it is at this path.
  std::optional<std::string> metadata_at(std::string_view path) const;
  // Another gate has taken over: decisions of this one hold no longer.
  void retire() { *retired_ = true; }

 private:
  // A token on its way through the checks.
  struct Presented {
    std::string token;
    std::string digest;
    AdmissionDone done;
  };

  AccessGate(AccessSpec spec, StaticTokens tokens, std::vector<std::shared_ptr<const Issuer>> issuers,
             const Clock& clock);

  // `may_load`: false once the keys have been loaded for this token.
  enum class Keys : std::uint8_t { kMayBeLoaded, kWereLoaded, kCannotBeLoaded };
  void verify(Presented presented, Keys keys);
  void load_keys(Presented presented, const Issuer& issuer);
  void introspect(Presented presented);
  void accept(Presented presented, VerifiedCaller caller, std::vector<AdmissionLease::Ended> ended,
              std::chrono::milliseconds lease_max);
  bool is_denied(const std::string& id) const;
  Refusal refuse(TokenFault fault) const;
  Refusal identity_provider_down() const;

  const AccessSpec spec_;
  const StaticTokens tokens_;
  const std::vector<std::shared_ptr<const Issuer>> issuers_;
  const Challenges challenges_;
  const Clock& clock_;
  const std::shared_ptr<std::atomic<bool>> retired_ =
      std::make_shared<std::atomic<bool>>(false);  // With leases.
  TokenCache cache_;
};

}  // namespace sluice::guard
