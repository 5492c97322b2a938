#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/client/client.h"
#include "sluice/commands/remote.h"
#include "sluice/config/environment.h"
#include "sluice/config/upstream_spec.h"
#include "sluice/wiring/login_authorizer.h"

namespace sluice::commands {

// What a command line gets wrong.
inline Error usage_error(std::string_view message) { return invalid_input(message).with_code("usage"); }

inline bool is_url(std::string_view place) {
  return place.starts_with("http://") || place.starts_with("https://");
}

// What the options of a command line say. Error: usage.
Result<config::AuthorizationSpec> authorization_of(const RemoteAuthorization& given,
                                                   const config::Environment& environment);

// The upstream that a command line names, which has an authorization.
struct NamedUpstream {
  config::UpstreamSpec spec;
  std::string tokens;  // The folder.
};
Result<NamedUpstream> upstream_of(const std::string& config_file, const std::string& name,
                                  const config::Environment& environment);

// The authorizer for the URL that a command line names.
Result<std::shared_ptr<wiring::LoginAuthorizer>> authorizer_of(const RemoteServer& server,
                                                               const config::Environment& environment);

// Does what `attempt` does. Where that is refused because a person has to agree, they are asked, and it is
// done again: at most twice, and never where a part of it has been done. `authorizer` may be null.
template <typename Attempt>
auto with_login(wiring::LoginAuthorizer* authorizer, const Attempt& attempt) -> decltype(attempt()) {
  constexpr int kLoginsMax = 2;  // The second for what a server only then says to be missing.
  for (int logins = 0;; ++logins) {
    if (authorizer != nullptr) authorizer->begin();
    auto outcome = attempt();
    if (outcome.ok() || authorizer == nullptr || outcome.error().code != "user_absent") return outcome;
    const std::optional<wiring::LoginAuthorizer::Refusal> refusal = authorizer->take_refusal();
    if (!refusal || !refusal->is_first || logins >= kLoginsMax) return outcome;
    SLUICE_CHECK(authorizer->login(refusal->challenge));
  }
}

}  // namespace sluice::commands
