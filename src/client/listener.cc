#include "listener.h"

#include <algorithm>
#include <utility>

#include "sluice/base/log.h"
#include "sluice/fetch/pause.h"
#include "sluice/protocol/wire/requests.h"

#include "failure.h"

namespace sluice::client {
namespace {

bool tells_of_changes(const ServerInfo& info, std::string_view list) {
  const json::Value* capability = info.capabilities.find(list);
  const json::Value* changed = capability == nullptr ? nullptr : capability->find("listChanged");
  return changed != nullptr && changed->if_bool() != nullptr && *changed->if_bool();
}

}  // namespace

Listener::Listener(Session& session, std::set<std::string> uris)
    : session_(session), uris_(std::move(uris)), thread_([this] { run(); }) {}

Listener::~Listener() {
  stop_.request_stop();
  thread_.join();
}

Status Listener::wait_until_open(Monotonic deadline, std::stop_token stop) {
  const MutexLock lock(mutex_);
  const bool settled =
      changed_.wait_for(mutex_, stop, deadline - session_.now(),
                        [this]() SLUICE_REQUIRES(mutex_) { return is_open_ || first_failure_; });
  if (is_open_) return {};
  if (first_failure_) return *first_failure_;
  if (!settled && stop.stop_requested()) return cancelled();
  return deadline_exceeded();
}

bool Listener::hears(const std::string& uri) const {
  const MutexLock lock(mutex_);
  return agreed_.contains(uri);
}

std::set<std::string> Listener::uris() const {
  const MutexLock lock(mutex_);
  return uris_;
}

void Listener::set_uris(std::set<std::string> uris) {
  const MutexLock lock(mutex_);
  uris_ = std::move(uris);
  agreed_ = uris_;
}

void Listener::run() {
  std::chrono::milliseconds delay = kClientBackoffFirst;
  const std::stop_token stop = stop_.get_token();
  while (!stop.stop_requested()) {
    const Status ended = serve(stop);
    if (stop.stop_requested()) return;
    bool was_open = false;
    {
      const MutexLock lock(mutex_);
      was_open = std::exchange(is_open_, false);
      if (!was_open_ && !first_failure_ && !ended.ok()) first_failure_ = ended.error();
      changed_.notify_all();
    }
    if (!ended.ok() && ended.error().kind == ErrorKind::kUnsupported) return;  // There is nothing to hear.
    delay = was_open ? kClientBackoffFirst : std::min(delay * 2, kClientBackoffMax);
    if (!fetch::system_pause().wait(delay, stop).ok()) return;
  }
}

Status Listener::serve(std::stop_token stop) {
  SLUICE_TRY(const std::shared_ptr<const Connection> at,
             session_.connection(session_.now() + session_.options().connect_timeout, stop));
  return at->is_modern() ? serve_modern(*at, std::move(stop)) : serve_legacy(*at, std::move(stop));
}

protocol::ListenParams Listener::filter_for(const Connection& at) const {
  const ServerInfo& info = at.agreed.info;
  const bool wants_lists = static_cast<bool>(session_.options().on_list_changed);
  protocol::ListenParams filter;
  filter.tools_changed = wants_lists && tells_of_changes(info, "tools");
  filter.prompts_changed = wants_lists && tells_of_changes(info, "prompts");
  filter.resources_changed = wants_lists && tells_of_changes(info, "resources");
  const MutexLock lock(mutex_);
  filter.resource_uris.assign(uris_.begin(), uris_.end());
  return filter;
}

Status Listener::serve_modern(const Connection& at, std::stop_token stop) {
  const protocol::ListenParams filter = filter_for(at);
  const bool wants_nothing = !filter.tools_changed && !filter.prompts_changed && !filter.resources_changed &&
                             filter.resource_uris.empty();
  if (wants_nothing) return unsupported("the server tells of no changes").with_code("subscription_refused");
  std::stop_source ended;  // The server may end a subscription with a notification.
  const std::stop_callback on_stop(stop, [&] { ended.request_stop(); });
  const auto take = [&](const protocol::Notification& notification) {
    if (notification.method == "notifications/subscriptions/acknowledged") {
      const Result<protocol::ListenParams> agreed = protocol::decode_acknowledged(notification.params);
      if (agreed) opened(*agreed);
    } else if (notification.method == "notifications/cancelled") {
      ended.request_stop();
    } else {
      session_.take_notification(notification, nullptr);
    }
  };
  SLUICE_TRY(const Reply reply,
             session_.listen(at, protocol::listen_params(filter), ended.get_token(), take));
  if (reply.kind == Reply::Kind::kResult) return {};
  return failure_of("subscriptions/listen", reply);
}

Status Listener::serve_legacy(const Connection& at, std::stop_token stop) {
  bool is_first = false;
  std::set<std::string> uris;
  {
    const MutexLock lock(mutex_);
    is_first = !was_open_;
    uris = uris_;
  }
  // The first time whoever wants a URI subscribes to it; after a reconnection nobody else would.
  for (const std::string& uri : is_first ? std::set<std::string>{} : uris) {
    const CallOptions options{.stop = stop};
    const Call call{.options = options, .deadline = session_.deadline_of(options), .asks = nullptr};
    if (const auto done = session_.request("resources/subscribe", {{"uri", uri}}, call); !done.ok())
      log::warning("client.not_subscribed_again", {{"reason", done.error().message}});
  }
  return at.link->listen(std::move(stop), [this] { opened(std::nullopt); });
}

void Listener::opened(const std::optional<protocol::ListenParams>& agreed) {
  bool is_again = false;
  {
    const MutexLock lock(mutex_);
    agreed_ =
        agreed ? std::set<std::string>(agreed->resource_uris.begin(), agreed->resource_uris.end()) : uris_;
    is_open_ = true;
    is_again = std::exchange(was_open_, true);
    changed_.notify_all();
  }
  if (is_again) tell_everything();
}

// Nobody knows what happened while there was no stream.
void Listener::tell_everything() {
  for (const char* list : {"tools", "prompts", "resources"}) {
    session_.take_notification(
        {.method = std::string("notifications/") + list + "/list_changed", .params = {}}, nullptr);
  }
  for (const std::string& uri : uris()) session_.events().resource_updated(uri);
}

}  // namespace sluice::client
