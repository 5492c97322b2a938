#pragma once

#include <atomic>
#include <memory>

#include "sluice/base/fair_quota.h"
#include "sluice/catalog/catalog.h"
#include "sluice/protocol/wire/results.h"
#include "sluice/server/server.h"

#include "call/call.h"
#include "call/deadlines.h"
#include "call/in_flight.h"
#include "call/token_ends.h"
#include "dispatch/worker_pool.h"
#include "session/session_table.h"
#include "subscriptions.h"
#include "task_table.h"

namespace sluice::server {

// The parts of a server that method handlers share. Declared so that what uses others dies first.
struct Core {
  Core(ServerOptions given, std::unique_ptr<catalog::Catalog> made);
  ~Core() { deadlines.stop(); }  // Its callbacks use the workers, which die first.
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  protocol::ResultStyle style(const Call& call) const {
    return protocol::ResultStyle{.revision = call.revision, .server = options.info};
  }
  protocol::ServerCapabilities capabilities() const;
  std::string instructions() const;  // For the model: those of the providers, or else of the options.

  // The call is cancelled at `at`; an earlier deadline of it is forgotten. `on_late` is called for calls that
  // are not settled some time after that.
  void set_deadline(const std::shared_ptr<Call>& call, Monotonic at);
  void clear_deadline(Call& call);

  // Ends a session: its requests are cancelled, its streams closed, its resources no longer watched for it.
  void end_session(const std::shared_ptr<LegacySession>& session);

  void (*on_late)(Core& core, Call& call) = nullptr;  // Set before the first request.

  std::atomic<bool> stopping{false};  // New requests are refused; what others wait for still gets through.
  const ServerOptions options;
  const Clock& clock;
  const std::unique_ptr<catalog::Catalog> catalog;
  FairQuota subscribed_bytes;  // Of the URIs that streams and sessions are subscribed to.
  FairQuota asks;              // Workers that wait for a person.
  InFlight in_flight;
  SessionTable sessions;
  Subscriptions subscriptions;
  TaskTable tasks;
  TokenEnds token_ends;  // Destroyed after the deadlines that call it.
  Deadlines deadlines;
  WorkerPool workers;
};

// The in-flight scopes of a legacy session, and of the modern requests on a pipe.
std::string scope_of(const LegacySession& session);
std::string scope_of(const protocol::Connection& pipe);

}  // namespace sluice::server
