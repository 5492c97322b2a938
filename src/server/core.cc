#include "core.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "call/share_limits.h"
#include "session/legacy_session.h"

namespace sluice::server {

Core::Core(ServerOptions given, std::unique_ptr<catalog::Catalog> made)
    : options(std::move(given)),
      clock(*options.clock),
      catalog(std::move(made)),
      subscribed_bytes(kSubscribedBytesMax),
      asks(std::max(kAsksMin, options.worker_threads_max / kWorkersPerAsk)),
      sessions(clock),
      subscriptions(*catalog, subscribed_bytes),
      tasks(clock),
      token_ends(deadlines, clock),
      deadlines(clock),
      workers(options.worker_threads_max, kRequestsInFlightMax) {}

protocol::ServerCapabilities Core::capabilities() const {
  const catalog::Kinds kinds = catalog->kinds();
  protocol::ServerCapabilities capabilities{.tools = kinds.tools,
                                            .resources = kinds.resources,
                                            .prompts = kinds.prompts,
                                            .completions = kinds.completions,
                                            .logging = options.logging,
                                            .extensions = options.extensions};
  if (kinds.tools) capabilities.extensions.set(std::string(protocol::kTasksExtension), json::Object{});
  return capabilities;
}

std::string Core::instructions() const { return catalog->instructions().value_or(options.instructions); }

void Core::set_deadline(const std::shared_ptr<Call>& call, Monotonic at) {
  clear_deadline(*call);
  call->deadline = at;
  call->deadline_ticket = deadlines.add(at, [this, at, weak = std::weak_ptr<Call>(call)] {
    const std::shared_ptr<Call> late = weak.lock();
    if (late == nullptr) return;
    late->cancel(CancelReason::kDeadline);
    deadlines.add(at + options.stuck_grace, [this, weak] {
      const std::shared_ptr<Call> stuck = weak.lock();
      if (stuck != nullptr && !stuck->settled && !stuck->taken_over) on_late(*this, *stuck);
    });
  });
}

void Core::clear_deadline(Call& call) {
  if (call.deadline_ticket) deadlines.remove(*call.deadline_ticket);
  call.deadline_ticket.reset();
}

void Core::end_session(const std::shared_ptr<LegacySession>& session) {
  in_flight.cancel_scope(scope_of(*session));
  for (const std::string& uri : session->subscriptions()) {
    if (!session->unsubscribe(uri)) continue;
    if (const Result<ResourceUri> parsed = ResourceUri::parse(uri)) catalog->unwatch(*parsed);
  }
  session->close();
}

std::string scope_of(const LegacySession& session) { return "session/" + session.id().text(); }

std::string scope_of(const protocol::Connection& pipe) {
  return fmt::format("pipe/{}", static_cast<const void*>(&pipe));
}

}  // namespace sluice::server
