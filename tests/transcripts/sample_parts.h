#pragma once

#include <string_view>

#include "test_server.h"

namespace sluice::transcripts {

// Adds one part to the server of a case: a tool, a resource, a prompt, or several. README.md lists them.
// `count` is the number of `NAME=COUNT`. False: there is no such part.
bool add_part(server::testing::TestServer& server, std::string_view name, int count);

}  // namespace sluice::transcripts
