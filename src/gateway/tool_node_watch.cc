// How a node follows its server.

#include <algorithm>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/gateway/tool_node.h"
#include "sluice/json/writer.h"
#include "sluice/protocol/wire/definitions.h"

#include "ask_relay.h"
#include "call_slots.h"

namespace sluice::gateway {
namespace {

constexpr std::uint8_t kToolsList = 1;
constexpr std::uint8_t kPromptsList = 2;
constexpr std::uint8_t kResourcesList = 4;
constexpr std::uint8_t kAllLists = kToolsList | kPromptsList | kResourcesList;
constexpr std::chrono::milliseconds kReconnectFirst{250};
constexpr std::chrono::milliseconds kReconnectMax{30'000};
constexpr std::chrono::milliseconds kListAgainMax{8'000};
constexpr std::chrono::milliseconds kCoalesce{20};  // A burst of changes is one notification.
constexpr std::chrono::milliseconds kPingInterval{15'000};
constexpr std::size_t kUpdatesWaitingMax = 4'096;
constexpr std::size_t kCachedFollowedMax = 256;
constexpr std::size_t kReasonBytes = 300;

template <typename Item>
std::string written(const std::vector<Item>& items) {
  json::Writer out;
  out.begin_array();
  for (const Item& item : items) protocol::encode(item, protocol::kNewest, out);
  out.end_array();
  return std::move(out).take();
}

template <typename Item>
bool is_same(const std::vector<Item>& a, const std::vector<Item>& b) {
  return a.size() == b.size() && written(a) == written(b);
}

// A list that the server refuses counts as empty: it may have one half of the protocol. One of which nothing
// was heard stays as it was; false.
template <typename Item>
bool take_list(Result<std::vector<Item>> list, std::vector<Item>& into, const std::string& name_space,
               std::string_view what) {
  if (list.ok()) {
    into = clean(*std::move(list));
    return true;
  }
  log::info(
      "gateway.list_failed",
      {{"upstream", name_space}, {"list", what}, {"reason", excerpt(list.error().message, kReasonBytes)}});
  if (!client::rpc_code(list.error())) return false;
  into.clear();
  return true;
}

}  // namespace

Status ToolNode::discover(const CallOptions& options, std::uint8_t lists) {
  const MutexLock one(discover_mutex_);
  const client::CallOptions call = client_call(options);
  client::CallOptions connecting = call;
  connecting.timeout = std::max(config_.timeout, kClientConnectTimeout);  // It may be downloaded first.
  SLUICE_TRY(client::ServerInfo server, client_->connect(connecting));
  auto next = std::make_shared<Discovery>(*discovery());
  next->state = NodeState::kReady;
  next->problem.clear();
  next->is_known = true;
  next->server = std::move(server);
  std::uint8_t unheard = 0;
  if ((lists & kToolsList) != 0) {
    Result<std::vector<protocol::Tool>> tools = client_->list_tools(call);
    next->refused.clear();
    if (tools.ok() && dependencies_.pins != nullptr) {
      SLUICE_TRY(ToolPins::Verdict verdict, dependencies_.pins->check(config_.name, *tools));
      next->refused = std::move(verdict.refused);
      tools = std::move(verdict.tools);
    }
    if (!take_list(std::move(tools), next->tools, config_.name, "tools")) unheard |= kToolsList;
    std::erase_if(next->tools, [&](const protocol::Tool& tool) {
      return !config_.offer.offers_tools || !config_.offer.tools.rules.allow_tool(tool);
    });
  }
  if ((lists & kPromptsList) != 0 && config_.offer.offers_prompts &&
      !take_list(client_->list_prompts(call), next->prompts, config_.name, "prompts"))
    unheard |= kPromptsList;
  if ((lists & kResourcesList) != 0 && config_.offer.offers_resources) {
    Result<std::vector<protocol::Resource>> resources = client_->list_resources(call);
    const bool are_there = resources.ok() && next->server.has("resources");
    if (take_list(std::move(resources), next->resources, config_.name, "resources")) {
      next->resources_supported = are_there;
    } else {
      unheard |= kResourcesList;
    }
    if (!take_list(client_->list_templates(call), next->templates, config_.name, "templates"))
      unheard |= kResourcesList;
  }
  {
    const MutexLock lock(mutex_);
    unheard_lists_ = static_cast<std::uint8_t>((unheard_lists_ & ~lists) | unheard);
  }
  publish(std::move(next));
  return {};
}

Status ToolNode::connect(const CallOptions& options) {
  const Status status = discover(options, kAllLists);
  if (!status.ok()) {
    set_down(status.error());
    return failure(status.error());
  }
  return {};
}

void ToolNode::publish(std::shared_ptr<const Discovery> next) {
  std::shared_ptr<const Discovery> before;
  {
    const MutexLock lock(mutex_);
    before = std::exchange(discovery_, next);
  }
  const bool is_first = !before->is_known;
  const bool tools = is_first || !is_same(before->tools, next->tools) ||
                     before->resources_supported != next->resources_supported;
  const bool prompts = !is_same(before->prompts, next->prompts);
  const bool resources =
      !is_same(before->resources, next->resources) || !is_same(before->templates, next->templates);
  if (resources) cache_.invalidate_all();
  if (tools) tell([](catalog::ChangeSink& sink) { sink.tools_changed(); });
  if (prompts) tell([](catalog::ChangeSink& sink) { sink.prompts_changed(); });
  if (resources) tell([](catalog::ChangeSink& sink) { sink.resources_changed(); });
  note_attempt();
}

// After everyone was told: who waited for it finds what was found.
void ToolNode::note_attempt() {
  const MutexLock lock(mutex_);
  attempted_ = true;
  wake_.notify_all();
}

void ToolNode::set_down(const Error& error) {
  auto next = std::make_shared<Discovery>(*discovery());
  if (next->state != NodeState::kDown)
    log::warning("gateway.upstream_down",
                 {{"upstream", config_.name}, {"reason", excerpt(error.message, kReasonBytes)}});
  const bool was_connecting = next->state == NodeState::kConnecting;
  next->state = NodeState::kDown;
  next->problem = excerpt(error.message, kReasonBytes);
  {
    const MutexLock lock(mutex_);
    discovery_ = std::move(next);
  }
  if (was_connecting) tell([](catalog::ChangeSink& sink) { sink.tools_changed(); });
  note_attempt();
}

void ToolNode::start() {
  thread_ = BackgroundThread("upstream", [this](const std::stop_token& stop) { supervise(stop); });
}

void ToolNode::retry() {
  const MutexLock lock(mutex_);
  retry_ = true;
  wake_.notify_all();
}

bool ToolNode::is_attempted() const {
  const MutexLock lock(mutex_);
  return attempted_;
}

bool ToolNode::wait_first_attempt(Monotonic until, const std::stop_token& stop) const {
  const MutexLock lock(mutex_);
  return wake_.wait_until(mutex_, stop, until, [&]() SLUICE_REQUIRES(mutex_) { return attempted_; });
}

void ToolNode::supervise(const std::stop_token& stop) {
  std::chrono::milliseconds wait = kReconnectFirst;
  while (!stop.stop_requested()) {
    CallOptions options;
    options.stop = stop;
    const Status status = discover(options, kAllLists);
    if (stop.stop_requested()) return;
    if (status.ok()) {
      log::info("gateway.upstream_ready", {{"upstream", config_.name}});
      wait = kReconnectFirst;
      look_after(stop);
      continue;
    }
    set_down(status.error());
    const MutexLock lock(mutex_);
    const bool is_told = wake_.wait_for(
        mutex_, stop, wait, [&]() SLUICE_REQUIRES(mutex_) { return std::exchange(retry_, false); });
    wait = is_told ? kReconnectFirst : std::min(wait * 2, kReconnectMax);
  }
}

// Until the server does not answer any more.
void ToolNode::look_after(const std::stop_token& stop) {
  CallOptions options;
  options.stop = stop;
  {
    const MutexLock lock(mutex_);
    suspect_ = false;
    wanted_changed_ = true;
    for (auto& [uri, wanted] : wanted_) wanted.is_refused = false;
  }
  std::chrono::milliseconds list_again = kReconnectFirst;
  while (!stop.stop_requested()) {
    std::uint8_t lists = 0;
    bool looks = false;
    {
      const MutexLock lock(mutex_);
      const auto has_news = [&]() SLUICE_REQUIRES(mutex_) {
        return suspect_ || changed_lists_ != 0 || !updated_.empty() || wanted_changed_;
      };
      if (unheard_lists_ == 0) list_again = kReconnectFirst;
      const std::uint8_t unheard = unheard_lists_;
      looks = !wake_.wait_for(mutex_, stop, unheard == 0 ? kPingInterval : list_again, has_news);
      if (stop.stop_requested()) return;
      if (looks && unheard != 0) {  // What was not heard is asked for again, which tells as much as a ping.
        if (list_again > kListAgainMax) {
          unheard_lists_ = 0;  // Until it says that they changed, or is connected to anew.
        } else {
          changed_lists_ |= unheard;
        }
        list_again *= 2;
        looks = false;
      }
      if (!looks && !suspect_) wake_.wait_for(mutex_, stop, kCoalesce, [] { return false; });
      lists = std::exchange(changed_lists_, std::uint8_t{0});
      looks |= std::exchange(suspect_, false);
    }
    flush_updates();
    reconcile_subscriptions(options);
    if (looks) {
      const Status alive = client_->ping(client_call(options));
      // A server that is busy is slow to answer, and still there.
      if (!alive.ok() && alive.error().kind != ErrorKind::kDeadline && !client::rpc_code(alive.error()))
        return;
    }
    if (lists != 0 && !discover(options, lists).ok()) return;
  }
}

void ToolNode::add_listener(std::weak_ptr<catalog::ChangeSink> listener) {
  const MutexLock lock(mutex_);
  std::erase_if(listeners_, [](const auto& known) { return known.expired(); });
  listeners_.push_back(std::move(listener));
}

void ToolNode::tell(const std::function<void(catalog::ChangeSink&)>& what) {
  std::vector<std::weak_ptr<catalog::ChangeSink>> listeners;
  {
    const MutexLock lock(mutex_);
    listeners = listeners_;
  }
  for (const auto& weak : listeners) {
    if (const std::shared_ptr<catalog::ChangeSink> listener = weak.lock()) what(*listener);
  }
}

void ToolNode::lists_changed(std::uint8_t lists) {
  if ((lists & kResourcesList) != 0) cache_.invalidate_all();
  const MutexLock lock(mutex_);
  changed_lists_ |= lists;
  wake_.notify_all();
}

void ToolNode::resource_updated(const std::string& uri) {
  cache_.invalidate(uri);
  const MutexLock lock(mutex_);
  if (updated_.size() >= kUpdatesWaitingMax) return;
  updated_.insert(uri);
  wake_.notify_all();
}

void ToolNode::flush_updates() {
  std::set<std::string> updated;
  {
    const MutexLock lock(mutex_);
    updated.swap(updated_);
  }
  for (const std::string& uri : updated) subscriptions_.handle_update(uri);
}

void ToolNode::watch(const std::string& uri) {
  const MutexLock lock(mutex_);
  if (wanted_.size() >= kSubscriptionUrisMax && wanted_.find(uri) == wanted_.end()) return;
  ++wanted_[uri].watchers;
  wanted_changed_ = true;
  wake_.notify_all();
}

void ToolNode::unwatch(const std::string& uri) {
  const MutexLock lock(mutex_);
  const auto at = wanted_.find(uri);
  if (at == wanted_.end() || at->second.watchers == 0) return;
  --at->second.watchers;
  wanted_changed_ = true;
  wake_.notify_all();
}

// Subscribes to a resource that is cached, so that its entry is dropped when it changes. Of more than
// kCachedFollowedMax resources those read last are followed; the entry of the one that has to make room goes
// with its subscription, because nobody would hear that it is out of date.
void ToolNode::follow_cached(const std::string& uri) {
  if (!config_.cache.enabled) return;
  std::string dropped;
  {
    const MutexLock lock(mutex_);
    const json::Value* resources = discovery_->server.capabilities.find("resources");
    const json::Value* can = resources != nullptr ? resources->find("subscribe") : nullptr;
    if (can == nullptr || can->if_bool() == nullptr || !*can->if_bool()) return;
    WatchState& wanted = wanted_[uri];
    wanted.last_read = ++reads_;
    if (wanted.is_cached) return;
    wanted.is_cached = true;
    if (++cached_followed_ > kCachedFollowedMax) {
      auto oldest = wanted_.end();
      for (auto at = wanted_.begin(); at != wanted_.end(); ++at) {
        if (!at->second.is_cached) continue;
        if (oldest == wanted_.end() || at->second.last_read < oldest->second.last_read) oldest = at;
      }
      oldest->second.is_cached = false;
      --cached_followed_;
      dropped = oldest->first;
    }
    wanted_changed_ = true;
    wake_.notify_all();
  }
  if (!dropped.empty()) cache_.invalidate(dropped);
}

void ToolNode::reconcile_subscriptions(const CallOptions& options) {
  std::vector<std::string> begin;
  std::vector<std::pair<std::string, std::size_t>> end;
  {
    const MutexLock lock(mutex_);
    if (!std::exchange(wanted_changed_, false)) return;
    for (auto at = wanted_.begin(); at != wanted_.end();) {
      WatchState& wanted = at->second;
      const bool is_wanted = wanted.watchers > 0 || wanted.is_cached;
      if (is_wanted && wanted.number == 0 && !wanted.is_refused) begin.push_back(at->first);
      if (!is_wanted && wanted.number != 0) end.emplace_back(at->first, wanted.number);
      at = is_wanted ? std::next(at) : wanted_.erase(at);
    }
  }
  const client::CallOptions call = client_call(options);
  for (const auto& [uri, number] : end) {
    const Status left = subscriptions_.unsubscribe(
        uri, [&](const std::string& gone) { return client_->unsubscribe(gone, call); }, number);
    if (!left.ok()) log::debug("gateway.not_unsubscribed", {{"upstream", config_.name}});
  }
  for (const std::string& uri : begin) {
    const Result<std::size_t> number = subscriptions_.subscribe(
        uri, [&](const std::string& wanted) { return client_->subscribe(wanted, call); },
        [this](const std::string& changed) {
          tell([&](catalog::ChangeSink& sink) { sink.resource_updated(changed); });
        });
    if (!number.ok())
      log::debug("gateway.not_subscribed", {{"upstream", config_.name}, {"reason", number.error().message}});
    const MutexLock lock(mutex_);
    WatchState& wanted = wanted_[uri];
    wanted.number = number.ok() ? *number : 0;
    wanted.is_refused = !number.ok();
    if (wanted.watchers == 0 && !wanted.is_cached) wanted_changed_ = true;
  }
}

}  // namespace sluice::gateway
