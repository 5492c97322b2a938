#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/protocol/wire/modern.h"
#include "sluice/protocol/wire/notifications.h"
#include "sluice/protocol/wire/params.h"

#include "methods/methods.h"

namespace sluice::server {
namespace {

// What of the wish this server can honour.
Result<protocol::ListenParams> agree(Core& core, const Call& call, protocol::ListenParams wish) {
  if (wish.resource_uris.size() + wish.task_ids.size() > kSubscriptionUrisMax) {
    return invalid_input(fmt::format("params.notifications: more than {} URIs", kSubscriptionUrisMax))
        .with_code("too_many_subscriptions");
  }
  if (!wish.task_ids.empty() && !call.client.tasks()) {
    return make_error(ErrorKind::kMissingCapability, "notifications of tasks need the tasks extension")
        .with_data(fmt::format(R"({{"extensions":{{"{}":{{}}}}}})", protocol::kTasksExtension));
  }
  // One of each: a URI that is named twice is watched once.
  std::sort(wish.resource_uris.begin(), wish.resource_uris.end());
  wish.resource_uris.erase(std::unique(wish.resource_uris.begin(), wish.resource_uris.end()),
                           wish.resource_uris.end());
  const catalog::Kinds kinds = core.catalog->kinds();
  wish.tools_changed &= kinds.tools;
  wish.prompts_changed &= kinds.prompts;
  wish.resources_changed &= kinds.resources;
  std::erase_if(wish.resource_uris, [&](const std::string& uri) {
    const Result<ResourceUri> parsed = ResourceUri::parse(uri);
    return !parsed || !core.catalog->can_watch(*parsed).ok();
  });
  std::erase_if(wish.task_ids,
                [&](const std::string& id) { return !core.tasks.find(id, call.principal).ok(); });
  return wish;
}

// The answer to a subscription that the server ends.
protocol::Final closed(const Core& core, const Call& call) {
  return protocol::Final{.message = protocol::result_message(
                             call.id, protocol::listen_closed_result(to_json(call.id), core.style(call)))};
}

}  // namespace

Result<std::string> discover(Core& core, const std::shared_ptr<Call>& call) {
  return protocol::discover_result(core.capabilities(), core.instructions(), core.style(*call));
}

// The stream stays open until the client cancels or goes away, or the server stops.
Result<std::string> listen(Core& core, const std::shared_ptr<Call>& call) {
  SLUICE_TRY(protocol::ListenParams wish, protocol::decode_listen(call->params));
  SLUICE_TRY(protocol::ListenParams agreed, agree(core, *call, std::move(wish)));
  if (!call->responder->can_notify()) {
    return invalid_input("subscriptions/listen needs a client that accepts text/event-stream")
        .with_code("stream_not_accepted");
  }
  call->params = {};  // They are as large as the list of URIs, and the stream may be open for days.
  core.clear_deadline(*call);
  SLUICE_CHECK(core.subscriptions.add(std::make_shared<ListenStream>(call, std::move(agreed))));
  call->taken_over = true;
  // Replaces the callback that the dispatcher installed. Where the peer is gone already, it runs now.
  call->on_gone.reset();
  Call* raw = call.get();  // The callback is a member of the call.
  raw->on_gone.emplace(call->exchange->gone(), [raw] { raw->cancel(CancelReason::kCaller); });
  call->on_stop.emplace(call->stop.get_token(), [&core, weak = std::weak_ptr<Call>(call)] {
    const std::shared_ptr<Call> ended = weak.lock();
    if (ended == nullptr) return;
    core.subscriptions.remove(ended.get());
    if (ended->cancelled == CancelReason::kCaller) {
      ended->responder->abandon();
    } else {
      ended->responder->finish(closed(core, *ended));  // Does nothing where it has been answered before.
    }
    core.in_flight.end(*ended);
    // This callback is a member of the call, which must not die before it returns.
    core.workers.submit(ended->share, [ended] {});
  });
  const std::weak_ptr<Call> weak = call;
  core.token_ends.add(call->exchange->inbound().identity.get(), weak, [&core, weak] {
    const std::shared_ptr<Call> expired = weak.lock();
    if (expired == nullptr) return;
    expired->responder->finish(closed(core, *expired));
    expired->cancel(CancelReason::kShutdown);
  });
  return std::string{};
}

void close_listen_stream(Core& core, const std::shared_ptr<ListenStream>& stream) {
  const std::shared_ptr<Call>& call = stream->call();
  call->responder->notify(
      protocol::cancelled_notification(call->id, "the server is stopping", stream->id_json()));
  call->responder->finish(closed(core, *call));
  call->cancel(CancelReason::kShutdown);
}

}  // namespace sluice::server
