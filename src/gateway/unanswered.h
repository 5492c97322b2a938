#pragma once

#include "sluice/base/result.h"
#include "sluice/protocol/model/ask.h"

namespace sluice::gateway {

// What an upstream is answered if nobody can be asked. To the upstream, that is a user who closed the form
// and works in no folder; only what a model was to write fails, with `why`. Servers ask for folders when they
// are connected to, and must not fail whoever is calling at that moment.
Result<protocol::Answer> answer_of_nobody(const protocol::QuestionBody& question, Error why);

}  // namespace sluice::gateway
