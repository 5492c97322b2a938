#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "sluice/base/clock.h"
#include "sluice/base/fair_quota.h"
#include "sluice/base/principal.h"
#include "sluice/base/result.h"
#include "sluice/base/uri.h"
#include "sluice/catalog/provider.h"
#include "sluice/catalog/tool_index.h"
#include "sluice/json/value.h"
#include "sluice/protocol/exchange.h"
#include "sluice/protocol/jsonrpc/message.h"
#include "sluice/protocol/model/ask.h"
#include "sluice/protocol/model/log_level.h"
#include "sluice/protocol/model/resource.h"
#include "sluice/protocol/revision.h"
#include "sluice/protocol/wire/params.h"

#include "call/deadlines.h"
#include "call/responder.h"
#include "call/share_key.h"

namespace sluice::server {

class LegacySession;
struct Method;

enum class CancelReason : std::uint8_t { kNone, kCaller, kDeadline, kShutdown };

// The tool that a call names.
struct NamedTool {
  Result<protocol::CallToolParams> params;
  Result<std::shared_ptr<const catalog::ToolEntry>> entry;
};

// The resource that a call reads.
struct NamedResource {
  Result<ResourceUri> uri;
  std::shared_ptr<catalog::ResourceProvider> owner;      // Null: nobody owns it. Shared with the catalog.
  std::optional<Result<protocol::ReadResult>> contents;  // Those that were in memory.
};

// One request on its way through the server. Owned by the in-flight table and by the thread that runs it.
struct Call {
  protocol::Revision revision = protocol::kNewest;
  protocol::RequestId id;
  std::string method;
  json::Object params;
  const Method* handled_by = nullptr;  // Set by the front; static.
  // What `params` name, looked up before the call is dispatched, and again only if it was not found. Neither
  // outlives `params`.
  std::optional<NamedTool> tool;
  std::optional<NamedResource> resource;
  Principal principal;
  protocol::ClientCapabilities client;
  std::optional<protocol::LogLevel> log_level;   // What the caller wants to hear; nothing: no log lines.
  std::shared_ptr<protocol::Exchange> exchange;  // The message it came in; the way back may be another one.
  std::shared_ptr<Responder> responder;
  std::shared_ptr<LegacySession> session;  // Null in the modern era.
  std::string scope;                       // Of its id in the in-flight table.
  ShareKey share;                          // Who it counts against.
  QuotaShare under_way;                    // Of the requests under way; held by InFlight.
  QuotaShare params_bytes;                 // What `params` takes, for as long as they live.

  std::stop_source stop;
  std::atomic<CancelReason> cancelled{CancelReason::kNone};
  std::atomic<bool> settled{false};     // It has been answered, or given up.
  std::atomic<bool> taken_over{false};  // Somebody else answers: a task, or a stream that stays open.
  std::optional<Deadlines::Ticket> deadline_ticket;
  Monotonic deadline;
  // Cancels this call when the peer closes the connection; reset once that no longer matters.
  std::optional<std::stop_callback<std::function<void()>>> on_gone;
  // Tidies up after a call that stays open, once it is cancelled.
  std::optional<std::stop_callback<std::function<void()>>> on_stop;

  bool modern() const { return protocol::is_modern(revision); }
  void cancel(CancelReason reason) {
    CancelReason none = CancelReason::kNone;
    cancelled.compare_exchange_strong(none, reason);
    // A callback may drop the last owner of this call; the state it runs from must outlive that.
    std::stop_source kept = stop;
    kept.request_stop();
  }
};

}  // namespace sluice::server
