#pragma once

#include <string>

#include "sluice/crypto/signing_key.h"
#include "sluice/json/value.h"

namespace sluice::client {

// A signed JSON Web Token. `header` gets its "alg" here.
std::string make_jwt(json::Object header, const json::Object& claims, const crypto::SigningKey& key);

}  // namespace sluice::client
