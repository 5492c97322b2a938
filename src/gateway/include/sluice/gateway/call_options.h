#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "sluice/base/budget.h"
#include "sluice/base/clock.h"
#include "sluice/base/principal.h"
#include "sluice/base/result.h"
#include "sluice/catalog/context.h"
#include "sluice/json/value.h"
#include "sluice/protocol/model/ask.h"
#include "sluice/protocol/wire/notifications.h"

namespace sluice::gateway {

// Who asks an upstream for something, and what goes along with it in both directions.
struct CallOptions {
  Principal principal = local_principal();
  std::stop_token stop;
  Monotonic deadline = Monotonic::max();
  Budget budget;                                     // What of an answer may be shown.
  json::Object meta;                                 // Goes to the upstream as it is.
  std::function<void(protocol::Progress)> progress;  // Empty: not wanted. Any thread.
  protocol::ClientCapabilities client;               // What `ask` can be asked.
  std::function<Result<catalog::Answers>(std::vector<protocol::Question>)> ask;  // Empty: nobody to ask.
  bool is_retry = false;            // Answers to what an earlier run has asked are at hand.
  bool is_timed_elsewhere = false;  // Whoever waits for the call ends it; users take their time to answer.
};

}  // namespace sluice::gateway
