#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/fetch/message.h"
#include "sluice/json/value.h"
#include "sluice/protocol/revision.h"
#include "sluice/protocol/wire/header_parameters.h"

namespace sluice::client {

// What a request of the modern era says in its headers as well: the version, its method, what it names, and
// the arguments that the tool's schema marks (`parameters`; may be null).
fetch::Headers mirrored_headers(protocol::Revision revision, std::string_view method,
                                const json::Object& params,
                                const std::vector<protocol::HeaderParameter>* parameters);

}  // namespace sluice::client
