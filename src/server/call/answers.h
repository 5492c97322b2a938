#pragma once

#include <optional>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/catalog/context.h"
#include "sluice/json/value.h"
#include "sluice/protocol/model/ask.h"

namespace sluice::server {

// Decodes a client's answer and checks an accepted form against its schema.
Result<protocol::Answer> read_answer(const protocol::Question& question, const json::Value& response);

// The error that says which capability the client lacks, for the first question it cannot be asked; nothing
// where it can be asked them all.
std::optional<Error> cannot_ask(const std::vector<protocol::Question>& questions,
                                const protocol::ClientCapabilities& client);

}  // namespace sluice::server
