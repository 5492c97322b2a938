#pragma once

#include <string>
#include <vector>

#include "sluice/base/clock.h"

namespace sluice {

// What a token of an identity provider says of its bearer beside the id. The principal alone is compared.
// Immutable once it is shared.
struct CallerIdentity {
  std::string issuer;     // Its name in the configuration.
  std::string display;    // For people who read logs. May be empty.
  std::string client_id;  // The program that the bearer uses. May be empty.
  std::vector<std::string> scopes;
  std::vector<std::string> groups;
  bool are_groups_known = true;  // False: the provider left them out because there are too many.
  WallTime accepted_until;       // Its expiry and the skew of clocks.
};

}  // namespace sluice
