#include "subscriptions.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/text.h"

#include "listener.h"

namespace sluice::client {
namespace {

Error refused_subscription(const std::string& uri) {
  return unsupported(fmt::format("subscribe: the server does not tell of changes of {}", excerpt(uri)))
      .with_code("subscription_refused");
}

bool can_subscribe(const ServerInfo& info) {
  const json::Value* resources = info.capabilities.find("resources");
  const json::Value* subscribe = resources == nullptr ? nullptr : resources->find("subscribe");
  return subscribe != nullptr && subscribe->if_bool() != nullptr && *subscribe->if_bool();
}

}  // namespace

Subscriptions::Subscriptions(Session& session) : session_(session) {}
Subscriptions::~Subscriptions() { close(); }

Status Subscriptions::start(const Call& call) {
  if (is_started_) return {};
  SLUICE_TRY(const std::shared_ptr<const Connection> at,
             session_.connection(call.deadline, call.options.stop));
  const ClientOptions& options = session_.options();
  const bool wants_stream = !at->is_modern() && at->link->is_http() && (options.ask || options.on_log);
  const MutexLock lock(change_mutex_);
  if (is_started_.exchange(true) || closed_ || listener_) return {};
  if (!options.on_list_changed && !wants_stream) return {};
  listener_ = std::make_unique<Listener>(session_, std::set<std::string>{});
  // What comes before the stream is open is lost, so the first call waits for it, but does not depend on it.
  const Monotonic by = std::min(call.deadline, session_.now() + kClientStreamOpenTimeout);
  if (const Status open = listener_->wait_until_open(by, call.options.stop); !open.ok())
    log::debug("client.no_stream", {{"reason", open.error().message}});
  return {};
}

Status Subscriptions::subscribe(const std::string& uri, const Call& call) {
  SLUICE_TRY(const std::shared_ptr<const Connection> at,
             session_.connection(call.deadline, call.options.stop));
  if (!can_subscribe(at->agreed.info)) return refused_subscription(uri);
  {
    const MutexLock lock(mutex_);
    if (wanted_.size() >= kClientSubscriptionsMax && !wanted_.contains(uri))
      return limit_reached("subscriptions to one server", kClientSubscriptionsMax);
    wanted_.insert(uri);
  }
  Status done = at->is_modern() ? apply(uri, call) : apply_legacy("resources/subscribe", uri, call);
  if (done.ok()) return {};
  const MutexLock lock(mutex_);
  wanted_.erase(uri);
  return done;
}

Status Subscriptions::unsubscribe(const std::string& uri, const Call& call) {
  {
    const MutexLock lock(mutex_);
    if (wanted_.erase(uri) == 0) return {};
  }
  SLUICE_TRY(const std::shared_ptr<const Connection> at,
             session_.connection(call.deadline, call.options.stop));
  return at->is_modern() ? apply({}, call) : apply_legacy("resources/unsubscribe", uri, call);
}

std::set<std::string> Subscriptions::wanted() const {
  const MutexLock lock(mutex_);
  return wanted_;
}

// The new stream is open before the old one goes, so that nothing is missed. Those who come meanwhile find
// what they want in it, or do the same after.
Status Subscriptions::apply(const std::string& uri, const Call& call) {
  const MutexLock lock(change_mutex_);
  if (closed_) return cancelled();
  const std::set<std::string> uris = wanted();
  if (listener_ && listener_->uris() == uris)
    return uri.empty() || listener_->hears(uri) ? Status{} : refused_subscription(uri);
  if (uris.empty() && !session_.options().on_list_changed) {
    listener_ = nullptr;
    return {};
  }
  auto next = std::make_unique<Listener>(session_, uris);
  SLUICE_CHECK(next->wait_until_open(call.deadline, call.options.stop));
  if (!uri.empty() && !next->hears(uri)) return refused_subscription(uri);
  listener_ = std::move(next);
  return {};
}

Status Subscriptions::apply_legacy(const std::string& method, const std::string& uri, const Call& call) {
  {
    const MutexLock lock(change_mutex_);
    if (closed_) return cancelled();
    if (!listener_) {
      listener_ = std::make_unique<Listener>(session_, wanted());
      // A server without a stream for it may still answer, so that is no failure.
      if (const Status open = listener_->wait_until_open(call.deadline, call.options.stop);
          !open.ok() && open.error().kind != ErrorKind::kUnsupported)
        return open;
    }
    listener_->set_uris(wanted());
  }
  SLUICE_TRY([[maybe_unused]] const Session::Answered done, session_.request(method, {{"uri", uri}}, call));
  return {};
}

void Subscriptions::close() {
  const MutexLock lock(change_mutex_);
  closed_ = true;
  listener_ = nullptr;
}

}  // namespace sluice::client
