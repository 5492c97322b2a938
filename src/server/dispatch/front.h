#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sluice/protocol/exchange.h"
#include "sluice/protocol/jsonrpc/message.h"

#include "core.h"

namespace sluice::server {

// The two ways a message can be meant. A front checks what its era asks for, makes the Call, and hands it to
// `dispatch`.

// Whether a message opens in the modern way: by its metadata, or on HTTP by a header that no legacy client
// sends.
bool is_modern_message(const protocol::Exchange& exchange, const protocol::Message& message);

void receive_modern(Core& core, const std::shared_ptr<protocol::Exchange>& exchange,
                    protocol::Message message);
void receive_legacy(Core& core, const std::shared_ptr<protocol::Exchange>& exchange,
                    protocol::Message message);
// Cancels the modern request that a notifications/cancelled on a pipe names; false if it names none. Such a
// notification need not carry the metadata that tells its era, so the legacy front asks as well.
bool cancel_on_pipe(Core& core, const protocol::Exchange& exchange,
                    const protocol::Notification& notification);
// GET and DELETE on HTTP.
void open_legacy_stream(Core& core, const std::shared_ptr<protocol::Exchange>& exchange);
void end_legacy_session(Core& core, const std::shared_ptr<protocol::Exchange>& exchange);

// The legacy session that this exchange belongs to, or null.
std::shared_ptr<LegacySession> find_session(Core& core, const protocol::Exchange& exchange);

// An array of messages, where the session's revision knows them.
void receive_batch(Core& core, const std::shared_ptr<protocol::Exchange>& exchange, json::Array batch);

// One message of any era.
void receive_message(Core& core, const std::shared_ptr<protocol::Exchange>& exchange, json::Value message);

// Enters the call in the in-flight table and runs its method.
void dispatch(Core& core, std::shared_ptr<Call> call);

// Answers a call whose handler has not returned long after its deadline, and replaces its worker.
void give_up_stuck(Core& core, Call& call);

// Answers an exchange that never became a call.
void refuse(const std::shared_ptr<protocol::Exchange>& exchange, const std::optional<protocol::RequestId>& id,
            const protocol::WireError& error);

// Answers a request that came after the server began to stop.
void refuse_stopping(const std::shared_ptr<protocol::Exchange>& exchange,
                     const std::optional<protocol::RequestId>& id);

// The wire's words for an error, in the era of the call.
protocol::WireError to_wire(const Error& error, protocol::Revision revision);

}  // namespace sluice::server
