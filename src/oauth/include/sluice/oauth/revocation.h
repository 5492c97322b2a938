#pragma once

#include <optional>
#include <stop_token>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/fetch/policy.h"
#include "sluice/oauth/oauth_authorizer.h"
#include "sluice/oauth/token_store.h"

namespace sluice::oauth {

struct RevocationOptions {
  std::optional<OAuthClient> client;  // The configured one that may have obtained the grant.
  fetch::Policy policy;               // As in OAuthOptions.
  const Clock* clock = &system_clock();
  std::stop_token stop;
};

// Tells the server that issued a grant that its tokens will not be used any more (RFC 7009), the refresh
// token first. They go to the endpoint that this server's own metadata names, and nowhere else.
//
// Errors: oauth_revocation_unsupported where the server has no such endpoint, oauth_revocation_refused where
// it says no, those of its metadata and of the network. None holds a token.
Status revoke_grant(const StoredGrant& grant, const RevocationOptions& options);

}  // namespace sluice::oauth
