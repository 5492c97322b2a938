#pragma once

#include <cstdint>
#include <string>

#include "measurement.h"
#include "request.h"

namespace bench {

// Keeps one request under way on each of `plan.in_flight` connections to 127.0.0.1 and checks every answer.
// Gives the report of the measurement.
std::string load_http(const Plan& plan, const Request& request, std::uint16_t port, pid_t server);

}  // namespace bench
