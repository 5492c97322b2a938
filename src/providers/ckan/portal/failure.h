#pragma once

#include <string>
#include <string_view>

#include "sluice/base/clock.h"
#include "sluice/base/error.h"
#include "sluice/fetch/message.h"
#include "sluice/json/value.h"

#include "portal/directory.h"

namespace sluice::ckan {

// What a request that got no answer is to the caller. The log has the rest.
Error not_reached(const Error& cause, const Portal& portal);

// An answer that says no: what the portal says itself, within bounds, and what to do about it. `body` is null
// where the answer is not JSON.
struct Refusal {
  const Portal& portal;
  std::string_view action;
  const fetch::Head& head;
  const json::Value* body = nullptr;
};
Error refused(const Refusal& refusal, WallTime now);

// An answer that should be one of CKAN, and is none.
Error not_ckan(const Portal& portal, std::string_view action);

}  // namespace sluice::ckan
