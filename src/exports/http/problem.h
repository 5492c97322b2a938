#pragma once

#include <string_view>

#include "sluice/base/admission.h"
#include "sluice/base/error.h"
#include "sluice/protocol/exchange.h"

namespace sluice::exports {

// The problem document (RFC 9457) of an error, with the code and the hint that tools give.
protocol::Final problem_of(const Error& error);
// With another status than that of the kind of the error.
protocol::Final problem_of(const Error& error, int status);

// With the challenge of the refusal.
protocol::Final problem_of(const Refusal& refusal);

}  // namespace sluice::exports
