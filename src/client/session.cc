#include "session.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"

#include "either_stop.h"
#include "http_link.h"
#include "stdio_link.h"

namespace sluice::client {
namespace {

// What dies sooner than this counts as a failure to start.
constexpr std::chrono::seconds kStableAfter{5};
// Jobs answer questions, end links and tell of cancellations.
constexpr std::size_t kJobsMax = 2 * kClientQuestionsWaitingMax;

protocol::ClientCapabilities announced(const ClientOptions& options) {
  protocol::ClientCapabilities capabilities = options.capabilities;
  if (!options.ask) {
    capabilities.elicit_form = capabilities.elicit_url = capabilities.sample = capabilities.roots = false;
  }
  if (options.tasks) capabilities.extensions.set(std::string(protocol::kTasksExtension), json::Object{});
  return capabilities;
}

Error client_closed() {
  return make_error(ErrorKind::kCancelled, "the client has been closed").with_code("client_closed");
}

Error backing_off(const std::optional<Error>& why) {
  return unavailable(fmt::format("the server is not there, and is tried again later: {}",
                                 why ? why->message : "it keeps ending"))
      .with_code("server_backing_off")
      .with_hint("call again in a moment");
}

}  // namespace

Session::Session(Target target, ClientOptions options)
    : target_(std::move(target)),
      options_(std::move(options)),
      capabilities_(announced(options_)),
      events_(options_),
      jobs_(kJobsMax) {}

Session::~Session() { close(); }

Monotonic Session::deadline_of(const CallOptions& options) const {
  return now() + std::min(options.timeout.value_or(options_.timeout), kFetchTimeoutMax);
}

void Session::set_tool_headers(
    std::map<std::string, std::vector<protocol::HeaderParameter>, std::less<>> headers) {
  const MutexLock lock(headers_mutex_);
  tool_headers_ = std::move(headers);
}

std::shared_ptr<AskScope> Session::asks_of(const CallOptions& options) const {
  const Ask& ask = options.ask ? options.ask : options_.ask;
  return ask ? std::make_shared<AskScope>(ask, static_cast<bool>(options.ask), options.stop,
                                          closing_.get_token())
             : nullptr;
}

Result<std::shared_ptr<const Connection>> Session::connection(Monotonic deadline, std::stop_token stop) {
  MutexLock lock(mutex_);
  while (true) {
    if (closing_.stop_requested()) return client_closed();
    if (current_ && !current_->link->gone().stop_requested()) return current_;
    if (!connecting_) break;
    if (!changed_.wait_for(mutex_, stop, deadline - now(),
                           [this]() SLUICE_REQUIRES(mutex_) { return !connecting_; })) {
      if (stop.stop_requested()) return cancelled();
      return deadline_exceeded();
    }
  }
  const std::shared_ptr<const Connection> old = std::exchange(current_, nullptr);
  if (old) count_end(*old);
  const bool must_wait = now() < retry_at_;
  const std::optional<Error> why = last_error_;
  connecting_ = !must_wait;
  lock.unlock();
  if (old) end_link(old->link);
  if (must_wait) return backing_off(why);
  const EitherStop either(std::move(stop), closing_.get_token());
  Result<std::shared_ptr<const Connection>> made =
      connect(std::min(deadline, now() + options_.connect_timeout), either.token());
  lock.lock();
  connecting_ = false;
  if (made) current_ = *made;
  // One that wants to know who is calling is there. Whether to ask it again is for those who can tell it.
  const bool is_failure =
      !made && made.error().kind != ErrorKind::kCancelled && made.error().kind != ErrorKind::kUnauthenticated;
  if (is_failure) count_failure(made.error());
  changed_.notify_all();
  return made;
}

void Session::drop(const std::shared_ptr<const Connection>& connection) {
  {
    const MutexLock lock(mutex_);
    if (current_ == connection) current_ = nullptr;
  }
  end_link(connection->link);
}

// Ending a process can take its time, which is not the caller's. Never with the lock held: what the link
// still hands on may want it.
void Session::end_link(const std::shared_ptr<Link>& link) {
  if (!jobs_.start([link] { link->close(); })) link->close();
}

void Session::count_end(const Connection& connection) {
  // An HTTP session that is gone says nothing about the server's health.
  if (connection.link->is_http()) return;
  if (now() - connection.since >= kStableAfter) {
    failures_ = 0;
  } else {
    count_failure(unavailable("the server's process has ended soon after its start"));
  }
}

void Session::count_failure(const Error& error) {
  ++failures_;
  last_error_ = error;
  retry_at_ = now() + backoff();
}

std::chrono::milliseconds Session::backoff() const {
  if (failures_ <= 1) return std::chrono::milliseconds{0};  // Once may happen to anybody.
  const std::size_t doublings = std::min<std::size_t>(failures_ - 2, 16);
  return std::min(kClientBackoffFirst * (1 << doublings), kClientBackoffMax);
}

Result<std::shared_ptr<Link>> Session::open_link() {
  const LinkParts parts{
      .incoming = *this, .clock = *options_.clock, .message_bytes_max = options_.message_bytes_max};
  Result<std::unique_ptr<Link>> link = [&] {
    if (const auto* command = std::get_if<Command>(&target_)) return open_stdio(*command, parts);
    if (const auto* endpoint = std::get_if<Endpoint>(&target_)) return open_http(*endpoint, parts);
    return open_in_process(std::get<InProcess>(target_), parts);
  }();
  if (!link) return std::move(link).error();
  std::shared_ptr<Link> shared = *std::move(link);
  const MutexLock lock(mutex_);
  latest_link_ = shared;
  return shared;
}

Result<std::shared_ptr<const Connection>> Session::connect(Monotonic deadline, std::stop_token stop) {
  bool died_of_probe = false;
  Result<std::shared_ptr<const Connection>> made = open(options_.eras, deadline, stop, died_of_probe);
  const bool may_be_old = !made && died_of_probe && options_.eras == Eras::kBoth && !stop.stop_requested();
  if (may_be_old) made = open(Eras::kLegacy, deadline, stop, died_of_probe);
  if (made) {
    log::info("client.connected", {{"server", (*made)->agreed.info.implementation.name},
                                   {"revision", protocol::to_string((*made)->agreed.info.revision)}});
  }
  return made;
}

Result<std::shared_ptr<const Connection>> Session::open(Eras eras, Monotonic deadline, std::stop_token stop,
                                                        bool& died_of_probe) {
  SLUICE_TRY(std::shared_ptr<Link> link, open_link());
  Negotiation negotiation({.link = *link,
                           .options = options_,
                           .capabilities = capabilities_,
                           .next_id = next_id_,
                           .deadline = deadline,
                           .stop = std::move(stop),
                           .eras = eras});
  Result<Agreed> agreed = negotiation.run();
  died_of_probe = negotiation.died_of_probe();
  if (!agreed) {
    end_link(link);
    return std::move(agreed).error();
  }
  return std::make_shared<const Connection>(
      Connection{.link = std::move(link), .agreed = *std::move(agreed), .since = now()});
}

void Session::close() {
  if (closing_.stop_requested()) return;
  closing_.request_stop();
  std::shared_ptr<Link> link;
  {
    const MutexLock lock(mutex_);
    changed_.notify_all();
    changed_.wait(mutex_, [this]() SLUICE_REQUIRES(mutex_) { return !connecting_; });
    link = latest_link_;
  }
  if (link) link->close();
  jobs_.close();
  events_.close();
}

std::string Session::error_output() const {
  const MutexLock lock(mutex_);
  return latest_link_ ? latest_link_->error_output() : std::string{};
}

}  // namespace sluice::client
