#pragma once

#include <string_view>

#include "sluice/base/result.h"

namespace sluice::engine::postgres {

// Refuses a statement that calls a function which reaches beyond reading tables: files, other servers, other
// sessions, settings. What keeps them from working is the role; this tells early, and covers what every role
// may call (pg_terminate_backend of its own sessions). It is no parser and no more than a second fence.
Status check_functions(std::string_view sql);

}  // namespace sluice::engine::postgres
