#include "http_link.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/log.h"
#include "sluice/base/mutex.h"
#include "sluice/fetch/client.h"
#include "sluice/fetch/pause.h"

#include "ask_scope.h"
#include "either_stop.h"
#include "http_answer.h"

namespace sluice::client {
namespace {

// Of a stream, all messages together. What is kept is bounded by the message; this only ends what never does.
constexpr std::size_t kStreamBytesMax = std::numeric_limits<std::int64_t>::max() / 2;

// A stream that lasted so long was one, even if nothing came.
constexpr std::chrono::seconds kLongStream{5};

constexpr int kBadRequest = 400;
constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;

bool is_session_id(std::string_view text) {
  return !text.empty() && text.size() <= kClientSessionIdBytesMax &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x21 && c <= 0x7e; });
}

Error refused_request(int status) {
  if (status == kUnauthorized)
    return unauthenticated("the server wants to know who is calling")
        .with_code("authorization_required")
        .with_hint("configure credentials for this server");
  return forbidden("the server does not allow it").with_code("authorization_refused");
}

Error no_answer() {
  return unavailable("the server's answer ended before it said anything").with_code("answer_broken");
}

class HttpLink final : public Link {
 public:
  struct Connections {
    fetch::Url url;
    std::unique_ptr<fetch::Client> calls;
    std::unique_ptr<fetch::Client> streams;  // Apart, so that streams take no connection from calls.
  };
  HttpLink(Endpoint endpoint, Connections connections, const LinkParts& parts)
      : endpoint_(std::move(endpoint)), connections_(std::move(connections)), parts_(parts) {}
  ~HttpLink() override { HttpLink::close(); }

  bool is_http() const override { return true; }
  std::stop_token gone() const override { return gone_.get_token(); }

  Result<Reply> request(const Outgoing& outgoing) override {
    const Asking asking(*this, outgoing.asks);
    const EitherStop stop(outgoing.stop, closing_.get_token());
    HttpAnswer answer({.incoming = parts_.incoming,
                       .outgoing = &outgoing,
                       .message_bytes_max = parts_.message_bytes_max,
                       .on_open = {},
                       .stream_ends = !streams_linger_});
    fetch::Request request = make("POST", outgoing.headers, stop.token());
    request.body = outgoing.text;
    request.deadline = outgoing.deadline;
    const bool had_session = fetch::find_header(request.headers, kSessionHeader) != nullptr;
    const Status done = run(request, answer, outgoing.lasting ? *connections_.streams : *connections_.calls);
    if (answer.failure()) return *answer.failure();
    if (answer.lingered(parts_.clock.now())) streams_linger_ = true;
    const bool may_resume = answer.is_stream() && !outgoing.lasting;
    if (!done.ok() && !(may_resume && done.error().kind == ErrorKind::kUnavailable)) return done.error();
    if (may_resume && !answer.has_reply()) SLUICE_CHECK(resume(request, answer));
    SLUICE_TRY(std::optional<Reply> reply, answer.take_reply());
    const int status = answer.head().status;
    // Many servers say 400 of a session that they do not know, with an error that names no request.
    const bool is_unknown = status == kBadRequest && reply && reply->is_nameless;
    if (had_session && (status == kNotFound || is_unknown)) return session_gone();
    if (outgoing.method == "initialize") remember_session(answer.head().headers);
    if (reply) return *std::move(reply);
    if (answer.is_stream() || status < 400) return no_answer();
    Reply failed;
    failed.kind = Reply::Kind::kStatus;
    failed.status = status;
    return failed;
  }

  Status send(std::string message, const fetch::Headers& headers, std::stop_token stop) override {
    const EitherStop either(std::move(stop), closing_.get_token());
    fetch::Request request = make("POST", headers, either.token());
    request.body = std::move(message);
    request.limits.total = kFetchTotalTimeout;
    HttpAnswer answer({.incoming = parts_.incoming,
                       .outgoing = nullptr,
                       .message_bytes_max = parts_.message_bytes_max,
                       .on_open = {}});
    SLUICE_CHECK(run(request, answer, *connections_.calls));
    if (answer.head().status < 400) return {};
    return unavailable(fmt::format("send a message: HTTP status {}", answer.head().status))
        .with_code("unexpected_status");
  }

  void adopt(fetch::Headers headers) override {
    const MutexLock lock(mutex_);
    adopted_ = std::move(headers);
  }

  Status listen(std::stop_token stop, const std::function<void()>& on_open) override {
    const EitherStop either(std::move(stop), closing_.get_token());
    HttpAnswer answer({.incoming = parts_.incoming,
                       .outgoing = nullptr,
                       .message_bytes_max = parts_.message_bytes_max,
                       .on_open = on_open,
                       .asks_beside = [this] { return only_asks(); }});
    for (std::size_t quiet = 0; quiet <= kClientResumptionsMax; ++quiet) {
      fetch::Request request = make("GET", {}, either.token());
      set_resumption(request, answer);
      const Monotonic begun = parts_.clock.now();
      const Status done = run(request, answer, *connections_.streams);
      if (either.token().stop_requested()) return cancelled();
      if (answer.failure()) return *answer.failure();
      const int status = answer.head().status;
      if (done.ok() && !answer.is_stream()) return status == kNotFound ? Status(gone_session()) : no_stream();
      if (answer.messages() > 0 || parts_.clock.now() - begun >= kLongStream) quiet = 0;
      SLUICE_CHECK(fetch::system_pause().wait(delay_of(answer), either.token()));
    }
    return unavailable("the server's stream of messages does not stay open").with_code("answer_broken");
  }

  void close() override {
    if (closing_.stop_requested()) return;
    closing_.request_stop();
    gone_.request_stop();
    std::string session;
    {
      const MutexLock lock(mutex_);
      session = session_;
    }
    if (session.empty()) return;
    fetch::Request request = make("DELETE", {}, {});
    request.limits.total = kClientCloseTimeout;
    HttpAnswer answer({.incoming = parts_.incoming,
                       .outgoing = nullptr,
                       .message_bytes_max = parts_.message_bytes_max,
                       .on_open = {}});
    if (const Status done = run(request, answer, *connections_.calls); !done.ok())
      log::debug("client.session_not_ended", {{"reason", done.error().message}});
  }

 private:
  static constexpr std::string_view kSessionHeader = "Mcp-Session-Id";

  // Who can answer questions, for as long as a request is under way.
  class Asking {
   public:
    Asking(HttpLink& link, std::shared_ptr<AskScope> asks) : link_(link), asks_(std::move(asks)) {
      const MutexLock lock(link_.mutex_);
      if (asks_) link_.asking_.insert(asks_);
    }
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;
    ~Asking() {
      const MutexLock lock(link_.mutex_);
      if (asks_) link_.asking_.erase(asks_);
    }

   private:
    HttpLink& link_;
    const std::shared_ptr<AskScope> asks_;
  };

  // A question on the stream of no request belongs to the only one that can answer it, if there is just one.
  std::shared_ptr<AskScope> only_asks() {
    const MutexLock lock(mutex_);
    return only_one(asking_);
  }

  static Status no_stream() { return unsupported("the server offers no stream of messages"); }

  Result<Reply> session_gone() {
    forget_session();
    Reply reply;
    reply.kind = Reply::Kind::kSessionGone;
    return reply;
  }
  Error gone_session() {
    forget_session();
    return unavailable("the server has ended the session").with_code("session_gone");
  }

  void forget_session() {
    {
      const MutexLock lock(mutex_);
      session_.clear();
    }
    gone_.request_stop();
  }

  void remember_session(const fetch::Headers& headers) {
    const std::string* id = fetch::find_header(headers, kSessionHeader);
    if (id == nullptr || !is_session_id(*id)) return;
    const MutexLock lock(mutex_);
    session_ = *id;
  }

  fetch::Request make(std::string_view method, const fetch::Headers& headers, std::stop_token stop) {
    fetch::Request request;
    request.method = method;
    request.url = connections_.url;
    request.headers = headers;
    request.headers.emplace_back(
        "Accept", method == "GET" ? "text/event-stream" : "application/json, text/event-stream");
    if (method == "POST") request.headers.emplace_back("Content-Type", "application/json");
    request.stop = std::move(stop);
    request.limits.bytes_max = kStreamBytesMax;
    request.limits.total = kFetchTimeoutMax;
    request.limits.idle = kClientStreamIdleMax;
    const MutexLock lock(mutex_);
    for (const auto& [name, value] : adopted_) {
      if (fetch::find_header(request.headers, name) == nullptr) request.headers.emplace_back(name, value);
    }
    if (!session_.empty()) request.headers.emplace_back(kSessionHeader, session_);
    return request;
  }

  // With credentials, and once more where the server wants others and they can be had.
  Status run(fetch::Request& request, HttpAnswer& answer, fetch::Client& client) {
    for (std::size_t challenges = 0;; ++challenges) {
      request.credentials = {.origin = connections_.url.origin(), .headers = {}};
      for (const auto& [name, value] : endpoint_.headers)
        request.credentials.headers.emplace_back(name, value);
      if (endpoint_.authorizer) {
        SLUICE_TRY(const std::vector<oauth::Header> headers,
                   endpoint_.authorizer->headers({.method = request.method, .url = connections_.url.text()},
                                                 request.stop));
        for (const auto& [name, value] : headers) request.credentials.headers.emplace_back(name, value);
      }
      SLUICE_CHECK(client.stream(request, answer));
      const int status = answer.head().status;
      if (status != kUnauthorized && status != kForbidden) return {};
      if (!endpoint_.authorizer || challenges >= kClientChallengesMax) return refused_request(status);
      SLUICE_TRY(const bool again,
                 endpoint_.authorizer->challenged(challenge_of(answer.head()), request.stop));
      if (!again) return refused_request(status);
    }
  }

  oauth::Challenge challenge_of(const fetch::Head& head) const {
    oauth::Challenge challenge{.status = head.status,
                               .www_authenticate = {},
                               .resource_url = connections_.url.text(),
                               .dpop_nonce = {}};
    if (const std::string* nonce = fetch::find_header(head.headers, "dpop-nonce"))
      challenge.dpop_nonce = *nonce;
    for (const auto& [name, value] : head.headers) {
      if (name != "www-authenticate") continue;
      if (!challenge.www_authenticate.empty()) challenge.www_authenticate += ", ";
      challenge.www_authenticate += value;
    }
    return challenge;
  }

  static std::chrono::milliseconds delay_of(const HttpAnswer& answer) {
    return std::min(answer.retry().value_or(kClientResumeDelay), kClientResumeDelayMax);
  }

  static void set_resumption(fetch::Request& request, const HttpAnswer& answer) {
    if (!answer.last_event_id().empty())
      request.headers.emplace_back("Last-Event-ID", answer.last_event_id());
  }

  // Goes on with a stream that ended before it answered; only the legacy era marks its events for that.
  Status resume(const fetch::Request& asked, HttpAnswer& answer) {
    for (std::size_t quiet = 0; quiet < kClientResumptionsMax; ++quiet) {
      if (asked.stop.stop_requested()) return cancelled();
      const bool is_late = asked.deadline && parts_.clock.now() >= *asked.deadline;
      if (is_late) return deadline_exceeded();
      if (answer.last_event_id().empty()) return no_answer();
      SLUICE_CHECK(wait_within(delay_of(answer), asked));
      fetch::Request request = make("GET", {}, asked.stop);
      request.deadline = asked.deadline;
      set_resumption(request, answer);
      Status done = run(request, answer, *connections_.streams);
      if (answer.has_reply()) return {};
      if (answer.failure()) return *answer.failure();
      if (!done.ok() && done.error().kind != ErrorKind::kUnavailable) return done;
      if (done.ok() && !answer.is_stream()) return no_answer();
      if (answer.messages() > 0) quiet = 0;
    }
    return no_answer();
  }

  Status wait_within(std::chrono::milliseconds delay, const fetch::Request& asked) {
    if (!asked.deadline) return fetch::system_pause().wait(delay, asked.stop);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*asked.deadline - parts_.clock.now());
    SLUICE_CHECK(fetch::system_pause().wait(
        std::clamp(delay, std::chrono::milliseconds{0}, std::max(left, std::chrono::milliseconds{0})),
        asked.stop));
    if (left < delay) return deadline_exceeded();
    return {};
  }

  const Endpoint endpoint_;
  const Connections connections_;
  const LinkParts parts_;
  std::stop_source closing_;
  std::stop_source gone_;
  std::atomic<bool> streams_linger_{false};  // The server does not end a stream when it has answered.
  Mutex mutex_;
  fetch::Headers adopted_ SLUICE_GUARDED_BY(mutex_);  // Said with every message.
  std::string session_ SLUICE_GUARDED_BY(mutex_);
  std::set<std::shared_ptr<AskScope>> asking_ SLUICE_GUARDED_BY(mutex_);
};

}  // namespace

Result<std::unique_ptr<Link>> open_http(const Endpoint& endpoint, const LinkParts& parts) {
  SLUICE_TRY(const fetch::Url url, fetch::Url::parse(endpoint.url));
  fetch::Policy policy;
  policy.allowed = {url.origin()};
  policy.allow_private = endpoint.allow_private;
  policy.ca_file = endpoint.ca_file;
  policy.proxy = endpoint.proxy;
  policy.lines_max = kClientHttpLinesMax;
  policy.idle_lines_max = kClientHttpIdleLinesMax;
  HttpLink::Connections connections{.url = url, .calls = nullptr, .streams = nullptr};
  SLUICE_TRY(connections.calls, fetch::Client::create(policy));
  SLUICE_TRY(connections.streams, fetch::Client::create(policy));
  return std::unique_ptr<Link>(std::make_unique<HttpLink>(endpoint, std::move(connections), parts));
}

}  // namespace sluice::client
