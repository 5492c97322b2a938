#pragma once

#include <string>

#include "sluice/protocol/exchange.h"

namespace sluice::transport {

// Appends one event: id, retry, type and data. Line breaks in the message become several data lines, which
// the reader joins again; JSON allows a line break only where any white space may stand, so nothing is lost.
// An event without message and with an id or retry has one empty data line; without those it is a comment.
void append_sse_event(std::string& out, const protocol::Outbound& event);

// Keeps a quiet stream from being closed by what stands between; readers ignore it.
void append_sse_comment(std::string& out);

}  // namespace sluice::transport
