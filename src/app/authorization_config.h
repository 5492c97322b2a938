#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sluice/app/authorization_spec.h"
#include "sluice/app/environment.h"
#include "sluice/base/result.h"

#include "yaml_map.h"

namespace sluice::app {

// `authorization` of an upstream. Nothing where it has none.
Result<std::optional<AuthorizationSpec>> read_authorization(YamlMap& upstream,
                                                            const Environment& environment);

// authorization_code or client_credentials.
std::optional<oauth::OAuthGrant> parse_grant(std::string_view text);

// What does not fit together.
struct Misfit {
  std::string key;
  std::string what;
};
std::optional<Misfit> find_misfit(const AuthorizationSpec& spec);

// Where tokens are kept where nothing else is said: below $XDG_STATE_HOME or the home folder. Empty where
// neither is known.
std::string default_token_folder(const Environment& environment);

}  // namespace sluice::app
