#include "exchange_inbox.h"

#include <stdexcept>
#include <utility>

#include <gtest/gtest.h>

namespace sluice::transport {

protocol::Receiver ExchangeInbox::receiver() {
  return [this](std::shared_ptr<protocol::Exchange> exchange) {
    const std::lock_guard lock(mutex_);
    exchanges_.push_back(std::move(exchange));
    arrived_.notify_all();
  };
}

std::shared_ptr<protocol::Exchange> ExchangeInbox::next() {
  std::unique_lock lock(mutex_);
  if (!arrived_.wait_for(lock, kPatience, [this] { return !exchanges_.empty(); })) {
    ADD_FAILURE() << "no exchange arrives";
    return nullptr;
  }
  auto exchange = std::move(exchanges_.front());
  exchanges_.pop_front();
  return exchange;
}

bool ExchangeInbox::empty() {
  const std::lock_guard lock(mutex_);
  return exchanges_.empty();
}

bool wait_for_stop(const std::stop_token& token) {
  std::mutex mutex;
  std::condition_variable stopped;
  const std::stop_callback notify(token, [&] {
    const std::lock_guard lock(mutex);
    stopped.notify_all();
  });
  std::unique_lock lock(mutex);
  return stopped.wait_for(lock, kPatience, [&] { return token.stop_requested(); });
}

std::unique_ptr<HttpServer> start_server(HttpServerOptions options, protocol::Receiver receiver) {
  auto server = HttpServer::start(std::move(options), std::move(receiver));
  if (!server.ok()) throw std::runtime_error(server.error().message);
  return std::move(server).value();
}

protocol::Receiver echo() {
  return [](const std::shared_ptr<protocol::Exchange>& exchange) {
    exchange->finish({.status = 200, .message = exchange->inbound().body});
  };
}

std::function<void(const AdmissionRequest&, AdmissionDone)> admit_by(
    std::function<Result<Principal>(const protocol::HttpHead&)> decide) {
  return [decide = std::move(decide)](const AdmissionRequest& request, const AdmissionDone& done) {
    Result<Principal> caller = decide(request.head);
    if (caller.ok()) return done(Admitted{.principal = *std::move(caller)});
    const bool is_unknown = caller.error().kind == ErrorKind::kUnauthenticated;
    done(Refusal{.error = caller.error(), .challenge = is_unknown ? "Bearer" : ""});
  };
}

}  // namespace sluice::transport
