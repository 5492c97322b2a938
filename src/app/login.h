#pragma once

#include <memory>

#include "sluice/app/environment.h"
#include "sluice/app/remote.h"
#include "sluice/base/result.h"
#include "sluice/client/client.h"

#include "login_authorizer.h"

namespace sluice::app {

// The authorizer for the URL that a command line names.
Result<std::shared_ptr<LoginAuthorizer>> authorizer_of(const RemoteServer& server,
                                                       const Environment& environment);

// Does what `attempt` does. Where that is refused because a person has to agree, they are asked, and it is
// done again: at most twice, and never where a part of it has been done. `authorizer` may be null.
template <typename Attempt>
auto with_login(LoginAuthorizer* authorizer, const Attempt& attempt) -> decltype(attempt()) {
  constexpr int kLoginsMax = 2;  // The second for what a server only then says to be missing.
  for (int logins = 0;; ++logins) {
    if (authorizer != nullptr) authorizer->begin();
    auto outcome = attempt();
    if (outcome.ok() || authorizer == nullptr || outcome.error().code != "user_absent") return outcome;
    const std::optional<LoginAuthorizer::Refusal> refusal = authorizer->take_refusal();
    if (!refusal || !refusal->is_first || logins >= kLoginsMax) return outcome;
    SLUICE_CHECK(authorizer->login(refusal->challenge));
  }
}

}  // namespace sluice::app
