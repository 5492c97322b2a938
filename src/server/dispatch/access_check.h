#pragma once

#include <optional>

#include "sluice/base/admission.h"
#include "sluice/json/value.h"
#include "sluice/protocol/exchange.h"

#include "core.h"

namespace sluice::server {

// What the gate says of a message, or of all messages of a batch; nullopt: it may be handled. A call of a
// tool writes unless the tool says that it only reads.
std::optional<Refusal> check_access(const Core& core, const protocol::Inbound& from,
                                    const json::Value& message);

// What the gate says of a request without a message: GET and DELETE.
std::optional<Refusal> check_access(const Core& core, const protocol::Inbound& from);

// The response that refuses a message, with the id of its request.
protocol::Final refused_access(const Refusal& refusal, const json::Value& message);

}  // namespace sluice::server
