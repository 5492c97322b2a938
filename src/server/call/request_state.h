#pragma once

#include <string>
#include <string_view>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/crypto/signer.h"
#include "sluice/json/value.h"

namespace sluice::server {

struct Call;

// What a multi-round-trip request carries through the client: the answers of earlier rounds. It is signed,
// expires, and is good for one principal and one request (method, target and arguments).
std::string seal_request_state(const crypto::Signer& signer, const Clock& clock, const Call& call,
                               const json::Object& answers);
Result<json::Object> open_request_state(const crypto::Signer& signer, const Clock& clock, const Call& call,
                                        std::string_view state);

}  // namespace sluice::server
