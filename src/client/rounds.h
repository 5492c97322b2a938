#pragma once

#include <string>

#include "sluice/base/result.h"
#include "sluice/json/value.h"

#include "session.h"

namespace sluice::client {

// A request up to its complete result: questions of the server are answered and the request sent again with
// the answers, a task is waited for.
Result<json::Object> complete_request(Session& session, const std::string& method, json::Object params,
                                      const Call& call);

}  // namespace sluice::client
