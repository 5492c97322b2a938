#pragma once

#include <string>

#include "measurement.h"
#include "request.h"

namespace bench {

// Starts a server, keeps `plan.in_flight` requests under way on its pipe and checks every answer. Gives the
// report.
std::string load_pipe(const Plan& plan, const Request& request, char* const* command, int cpu);

// Starts a server with the request already in its pipe. Gives {"ms":…,"processor_ms":…}: the time from before
// the start to the first answer, and what the server used of a processor until then.
std::string cold_start(const Request& request, char* const* command, int cpu);

}  // namespace bench
