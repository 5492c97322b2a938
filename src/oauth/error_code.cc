#include "error_code.h"

#include <algorithm>
#include <array>

namespace sluice::oauth {

namespace {

// RFC 6749, 7009, 7591, 8707, 9449 and OpenID Connect Core.
constexpr std::array<std::string_view, 24> kKnown = {"access_denied",
                                                     "account_selection_required",
                                                     "consent_required",
                                                     "interaction_required",
                                                     "invalid_client",
                                                     "invalid_client_metadata",
                                                     "invalid_dpop_proof",
                                                     "invalid_grant",
                                                     "invalid_redirect_uri",
                                                     "invalid_request",
                                                     "invalid_request_uri",
                                                     "invalid_scope",
                                                     "invalid_software_statement",
                                                     "invalid_target",
                                                     "invalid_token",
                                                     "login_required",
                                                     "server_error",
                                                     "temporarily_unavailable",
                                                     "unapproved_software_statement",
                                                     "unauthorized_client",
                                                     "unsupported_grant_type",
                                                     "unsupported_response_type",
                                                     "unsupported_token_type",
                                                     "use_dpop_nonce"};

}  // namespace

std::string_view known_error(std::string_view code) {
  const auto* const found = std::find(kKnown.begin(), kKnown.end(), code);
  return found == kKnown.end() ? "unknown" : *found;
}

}  // namespace sluice::oauth
