#include "upstream_connection.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/limits.h"
#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/base/version.h"
#include "sluice/json/writer.h"
#include "sluice/protocol/wire/definitions.h"

#include "unanswered.h"

namespace sluice::gateway {
namespace {

constexpr std::uint8_t kToolsList = 1;
constexpr std::uint8_t kPromptsList = 2;
constexpr std::uint8_t kResourcesList = 4;
constexpr std::uint8_t kAllLists = kToolsList | kPromptsList | kResourcesList;
constexpr std::size_t kListItemsMax = 20'000;
constexpr std::chrono::milliseconds kReconnectFirst{250};
constexpr std::chrono::milliseconds kReconnectMax{30'000};
constexpr std::chrono::milliseconds kListAgainMax{8'000};
constexpr std::chrono::milliseconds kCoalesce{20};  // A burst of changes is notified once.
constexpr std::chrono::milliseconds kPingInterval{15'000};
constexpr std::size_t kReasonBytes = 300;
constexpr std::size_t kLogMessageBytes = 400;

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

UpstreamConnection::UpstreamConnection(const NodeConfig& config, const NodeDependencies& dependencies,
                                       ChangeListeners& listeners, UpstreamResources& resources)
    : config_(config), dependencies_(dependencies), listeners_(listeners), resources_(resources) {}

UpstreamConnection::~UpstreamConnection() {
  thread_.request_stop();
  if (client_ != nullptr) client_->close();
  thread_.end();
}

Status UpstreamConnection::open(const Connector& connector) {
  SLUICE_TRY(client_, connector(client_options()));
  return {};
}

client::ClientOptions UpstreamConnection::client_options() {
  client::ClientOptions options;
  options.info = {.name = "sluice-gateway", .version = std::string(product_version())};
  options.timeout = config_.timeout;
  options.list_items_max = kListItemsMax;
  options.clock = dependencies_.clock;
  if (config_.relay_questions) {
    options.capabilities = {
        .elicit_form = true, .elicit_url = true, .sample = true, .roots = true, .extensions = {}};
    // Outside of a call there is nobody who could answer.
    options.ask = [](const protocol::Question& question, const std::stop_token&) -> Result<protocol::Answer> {
      return answer_of_nobody(question.body, unavailable("nobody is calling").with_code("nobody_to_ask"));
    };
  }
  options.on_list_changed = [this](client::ListKind kind) {
    lists_changed(static_cast<std::uint8_t>(1U << static_cast<unsigned>(kind)));
  };
  options.on_log = [name = config_.name](const client::LogMessage& message) {
    log::info("gateway.upstream_log", {{"upstream", name},
                                       {"level", protocol::to_string(message.level)},
                                       {"message", excerpt(json::to_text(message.data), kLogMessageBytes)}});
  };
  options.on_resource_updated = [this](const std::string& uri) { resources_.updated(uri); };
  return options;
}

client::CallOptions UpstreamConnection::call_options(const std::stop_token& stop) const {
  client::CallOptions call;
  call.stop = stop;
  call.timeout = config_.timeout;
  return call;
}

std::shared_ptr<const Discovery> UpstreamConnection::discovery() const {
  const MutexLock lock(mutex_);
  return state_.discovery;
}

Status UpstreamConnection::discover(const client::CallOptions& call, std::uint8_t lists) {
  const MutexLock one(discover_mutex_);
  client::CallOptions connecting = call;
  connecting.timeout = std::max(config_.timeout, kClientConnectTimeout);  // It may be downloaded first.
  SLUICE_TRY(client::ServerInfo server, client_->connect(connecting));
  auto next = std::make_shared<Discovery>(*discovery());
  next->state = NodeState::kReady;
  next->problem.clear();
  next->is_known = true;
  next->server = std::move(server);
  SLUICE_TRY(const std::uint8_t unheard, read_lists(call, lists, *next));
  {
    const MutexLock lock(mutex_);
    state_.unheard_lists = static_cast<std::uint8_t>((state_.unheard_lists & ~lists) | unheard);
  }
  publish(std::move(next));
  return {};
}

// Returns the lists that were not heard of.
Result<std::uint8_t> UpstreamConnection::read_lists(const client::CallOptions& call, std::uint8_t lists,
                                                    Discovery& into) {
  std::uint8_t unheard = 0;
  if ((lists & kToolsList) != 0) {
    Result<std::vector<protocol::Tool>> tools = client_->list_tools(call);
    into.refused.clear();
    if (tools.ok() && dependencies_.pins != nullptr) {
      SLUICE_TRY(ToolPins::Verdict verdict, dependencies_.pins->check(config_.name, *tools));
      into.refused = std::move(verdict.refused);
      tools = std::move(verdict.tools);
    }
    if (!take_list(std::move(tools), into.tools, config_.name, "tools")) unheard |= kToolsList;
    std::erase_if(into.tools, [&](const protocol::Tool& tool) {
      return !config_.offer.offers_tools || !config_.offer.tools.rules.allow_tool(tool);
    });
  }
  if ((lists & kPromptsList) != 0 && config_.offer.offers_prompts &&
      !take_list(client_->list_prompts(call), into.prompts, config_.name, "prompts"))
    unheard |= kPromptsList;
  if ((lists & kResourcesList) != 0 && config_.offer.offers_resources) {
    Result<std::vector<protocol::Resource>> resources = client_->list_resources(call);
    const bool are_there = resources.ok() && into.server.has("resources");
    if (take_list(std::move(resources), into.resources, config_.name, "resources")) {
      into.resources_supported = are_there;
    } else {
      unheard |= kResourcesList;
    }
    if (!take_list(client_->list_templates(call), into.templates, config_.name, "templates"))
      unheard |= kResourcesList;
  }
  return unheard;
}

Status UpstreamConnection::connect(const client::CallOptions& call) {
  Status status = discover(call, kAllLists);
  if (!status.ok()) set_down(status.error());
  return status;
}

void UpstreamConnection::publish(std::shared_ptr<const Discovery> next) {
  std::shared_ptr<const Discovery> before;
  {
    const MutexLock lock(mutex_);
    before = std::exchange(state_.discovery, next);
  }
  const bool is_first = !before->is_known;
  const bool tools = is_first || !is_same(before->tools, next->tools) ||
                     before->resources_supported != next->resources_supported;
  const bool prompts = !is_same(before->prompts, next->prompts);
  const bool resources =
      !is_same(before->resources, next->resources) || !is_same(before->templates, next->templates);
  if (resources) resources_.cache().invalidate_all();
  if (tools) listeners_.notify([](catalog::ChangeSink& sink) { sink.tools_changed(); });
  if (prompts) listeners_.notify([](catalog::ChangeSink& sink) { sink.prompts_changed(); });
  if (resources) listeners_.notify([](catalog::ChangeSink& sink) { sink.resources_changed(); });
  note_attempt();
}

// After everyone was notified: who waited for it finds what was found.
void UpstreamConnection::note_attempt() {
  const MutexLock lock(mutex_);
  state_.is_attempted = true;
  wake_.notify_all();
}

void UpstreamConnection::set_down(const Error& error) {
  auto next = std::make_shared<Discovery>(*discovery());
  if (next->state != NodeState::kDown)
    log::warning("gateway.upstream_down",
                 {{"upstream", config_.name}, {"reason", excerpt(error.message, kReasonBytes)}});
  const bool was_connecting = next->state == NodeState::kConnecting;
  next->state = NodeState::kDown;
  next->problem = excerpt(error.message, kReasonBytes);
  {
    const MutexLock lock(mutex_);
    state_.discovery = std::move(next);
  }
  if (was_connecting) listeners_.notify([](catalog::ChangeSink& sink) { sink.tools_changed(); });
  note_attempt();
}

void UpstreamConnection::start() {
  thread_ = BackgroundThread("upstream", [this](const std::stop_token& stop) { supervise(stop); });
}

void UpstreamConnection::retry() {
  const MutexLock lock(mutex_);
  state_.is_retry = true;
  wake_.notify_all();
}

bool UpstreamConnection::is_attempted() const {
  const MutexLock lock(mutex_);
  return state_.is_attempted;
}

bool UpstreamConnection::wait_first_attempt(Monotonic until, const std::stop_token& stop) const {
  const MutexLock lock(mutex_);
  return wake_.wait_until(mutex_, stop, until, [&]() SLUICE_REQUIRES(mutex_) { return state_.is_attempted; });
}

void UpstreamConnection::note_failure(const Error& error) {
  if (error.kind != ErrorKind::kUnavailable || client::rpc_code(error)) return;
  const MutexLock lock(mutex_);
  state_.is_suspect = true;
  wake_.notify_all();
}

void UpstreamConnection::wake() {
  const MutexLock lock(mutex_);
  state_.has_work = true;
  wake_.notify_all();
}

void UpstreamConnection::lists_changed(std::uint8_t lists) {
  if ((lists & kResourcesList) != 0) resources_.cache().invalidate_all();
  const MutexLock lock(mutex_);
  state_.changed_lists |= lists;
  wake_.notify_all();
}

void UpstreamConnection::supervise(const std::stop_token& stop) {
  std::chrono::milliseconds wait = kReconnectFirst;
  while (!stop.stop_requested()) {
    const Status status = discover(call_options(stop), kAllLists);
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
        mutex_, stop, wait, [&]() SLUICE_REQUIRES(mutex_) { return std::exchange(state_.is_retry, false); });
    wait = is_told ? kReconnectFirst : std::min(wait * 2, kReconnectMax);
  }
}

// Until the server does not answer any more.
void UpstreamConnection::look_after(const std::stop_token& stop) {
  {
    const MutexLock lock(mutex_);
    state_.is_suspect = false;
  }
  resources_.reconnected();
  std::chrono::milliseconds list_again = kReconnectFirst;
  while (!stop.stop_requested()) {
    const Work work = wait_for_work(stop, list_again);
    if (stop.stop_requested()) return;
    const client::CallOptions call = call_options(stop);
    resources_.maintain(*client_, call);
    if (work.has_to_ping) {
      const Status alive = client_->ping(call);
      // A server that is busy is slow to answer, and still there.
      if (!alive.ok() && alive.error().kind != ErrorKind::kDeadline && !client::rpc_code(alive.error()))
        return;
    }
    if (work.lists != 0 && !discover(call, work.lists).ok()) return;
  }
}

UpstreamConnection::Work UpstreamConnection::wait_for_work(const std::stop_token& stop,
                                                           std::chrono::milliseconds& list_again) {
  const MutexLock lock(mutex_);
  const auto has_news = [&]() SLUICE_REQUIRES(mutex_) {
    return state_.is_suspect || state_.changed_lists != 0 || state_.has_work;
  };
  if (state_.unheard_lists == 0) list_again = kReconnectFirst;
  const std::uint8_t unheard = state_.unheard_lists;
  Work work;
  work.has_to_ping = !wake_.wait_for(mutex_, stop, unheard == 0 ? kPingInterval : list_again, has_news);
  if (stop.stop_requested()) return work;
  if (work.has_to_ping && unheard != 0) {  // Asking for what was not heard says as much as a ping.
    if (list_again > kListAgainMax) {
      state_.unheard_lists = 0;  // Until it says that they changed, or there is a new connection.
    } else {
      state_.changed_lists |= unheard;
    }
    list_again *= 2;
    work.has_to_ping = false;
  }
  if (!work.has_to_ping && !state_.is_suspect) wake_.wait_for(mutex_, stop, kCoalesce, [] { return false; });
  state_.has_work = false;
  work.lists = std::exchange(state_.changed_lists, std::uint8_t{0});
  work.has_to_ping |= std::exchange(state_.is_suspect, false);
  return work;
}

}  // namespace sluice::gateway
