#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/fetch/client.h"
#include "sluice/guard/access_spec.h"
#include "sluice/guard/key_set.h"

namespace sluice::guard {

inline constexpr std::chrono::milliseconds kIssuerTimeout{
    5'000};  // Everything that one load or question takes.

struct IssuerKeys {
  KeySet keys;
  std::chrono::milliseconds max_age{0};  // For how long they may be used without asking again.
  std::string introspection_endpoint;    // Empty: the metadata names none, or was not asked for.
};

// Talks to one identity provider, by https except on loopback; redirects are not followed. Any thread;
// blocks.
class IssuerClient {
 public:
  // `clock` must outlive it. Fails if an authority file or the like makes no sense.
  static Result<std::unique_ptr<IssuerClient>> create(IssuerSpec spec, const Clock& clock);

  // The metadata of the issuer (OpenID Connect Discovery, then RFC 8414) and its keys; or its keys alone, if
  // their place is configured.
  Result<IssuerKeys> load(std::stop_token stop);
  // What the issuer says of an opaque token (RFC 7662): a JSON object as text.
  Result<std::string> introspect(const std::string& token, const std::string& endpoint, std::stop_token stop);

 private:
  struct Metadata {
    std::string jwks_uri;
    std::string introspection_endpoint;
  };

  IssuerClient(IssuerSpec spec, std::unique_ptr<fetch::Client> client, const Clock& clock);
  Result<Metadata> discover(Monotonic deadline, std::stop_token stop);
  Result<fetch::Response> get(const std::string& url, Monotonic deadline, std::stop_token stop);

  const IssuerSpec spec_;
  const std::unique_ptr<fetch::Client> client_;
  const Clock& clock_;
};

// Whether a URL of an identity provider may be used: https, or on loopback.
Status check_issuer_url(const std::string& url);

}  // namespace sluice::guard
