#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/crypto/signing_key.h"
#include "sluice/json/value.h"

namespace sluice::oauth {

// A signed JSON Web Token. `header` gets its "alg" here.
std::string make_jwt(json::Object header, const json::Object& claims, const crypto::SigningKey& key);

// Whether a token of somebody else says that it is for one of these, a slash at the end aside. Its signature
// is not checked: that is for whoever it is for.
bool is_for_audience(std::string_view jwt, const std::vector<std::string>& audiences);

}  // namespace sluice::oauth
