#include "http/http_session.h"

#include <atomic>
#include <exception>
#include <optional>
#include <utility>
#include <variant>

#include <boost/asio/co_spawn.hpp>

#include "sluice/base/limits.h"
#include "sluice/base/log.h"

#include "http/body_pull.h"
#include "http/request_check.h"
#include "http/response_head.h"
#include "http/sse_encode.h"

namespace sluice::transport {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr std::string_view kAlive = R"({"status":"ok"})";

protocol::Final answer_readiness(const HttpServerOptions& options) {
  if (!options.is_ready || options.is_ready()) return {.message = R"({"status":"ready"})"};
  return {.status = 503, .message = R"({"status":"not_ready"})"};
}
constexpr std::chrono::seconds kRetryAfter{1};

std::uint64_t next_channel() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

// Who the bytes of a request and of its answer count against.
std::string holder_of(const Principal& caller, const std::string& peer) {
  return caller == local_principal() ? peer : caller.id;
}

void call_receiver(const protocol::Receiver& receiver, std::shared_ptr<protocol::Exchange> exchange) {
  try {
    receiver(std::move(exchange));
  } catch (const std::exception& failure) {  // The exchange is dropped with it, which gives 500.
    log::error("http_receiver_failed", {{"what", failure.what()}});
  }
}

}  // namespace

void HttpSession::start(HttpCore& core, IoWorker& worker, ConnectionTicket ticket, std::string peer,
                        std::unique_ptr<ByteStream> stream) {
  auto session =
      std::make_shared<HttpSession>(core, worker, std::move(ticket), std::move(peer), std::move(stream));
  asio::co_spawn(worker.context(), session->run(), [session](const std::exception_ptr& failure) {
    if (!failure) return;
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& error) {  // A bug or no memory; it costs this connection.
      log::error("http_session_failed", {{"what", error.what()}});
    }
    session->close_now();
  });
}

HttpSession::HttpSession(HttpCore& core, IoWorker& worker, ConnectionTicket ticket, std::string peer,
                         std::unique_ptr<ByteStream> stream)
    : ticket_(std::move(ticket)),
      core_(core),
      worker_(worker),
      callers_(*this, std::move(peer)),
      channel_(next_channel()),
      stream_(std::move(stream)),
      signal_(worker.context()),
      place_(worker.enter(*this)) {}

HttpSession::~HttpSession() {
  if (queue_) discard(queue_->close(), core_.threads);
  worker_.leave(place_, idle_);
}

HttpSession::Task<void> HttpSession::run() {
  set_deadline(core_.options.header_timeout, AtDeadline::kClose);
  const error_code error = co_await stream_->handshake();
  ready_ = true;
  if (error) {
    log::debug("http_handshake_failed", {{"why", error.message()}});
    close_now();
  }
  bool open = !closing_;
  while (open) {
    open = co_await await_request();
    if (open) open = co_await serve_one();
  }
  co_await finish();
}

// Between requests a connection holds a small buffer and few coroutine frames, so that thousands are cheap.
HttpSession::Task<bool> HttpSession::await_request() {
  if (draining_ || closing_) co_return false;
  if (buffer_.size() > 0) co_return true;
  worker_.mark_idle(place_);
  idle_ = true;
  set_deadline(core_.options.idle_timeout, AtDeadline::kWake);
  const Wait wait = co_await fill(kHttpIdleBufferBytes);
  worker_.mark_busy(place_);
  idle_ = false;
  co_return wait == Wait::kData;
}

HttpSession::Task<bool> HttpSession::serve_one() {
  RequestParser parser(core_.options.message_bytes_max, core_.options.routes);
  Answer answer;
  const Wait wait = co_await read_head(parser);
  if (wait == Wait::kClosed) co_return false;
  std::variant<Route, protocol::Final> route = Route::kExchange;
  if (wait == Wait::kExpired) {
    route = refuse(408, "The head of the request took too long");
  } else if (parser.failed()) {
    route = refuse(parser.status(), parser.reason());
  } else {
    answer.keep_alive = parser.head().keep_alive;
    answer.chunked = !parser.head().is_http_1_0;
    answer.head_only = parser.head().http.method == "HEAD";
    if (const std::optional<protocol::Final> document = answer_public(parser.head(), core_.options))
      co_return co_await reply(*document, answer);
    route = route_request(parser.head(), core_.rules, core_.options.path, answer.cors);
  }
  if (const auto* refusal = std::get_if<protocol::Final>(&route)) {
    co_return co_await refuse_request(*refusal, parser, answer);
  }
  protocol::Final final;
  switch (std::get<Route>(route)) {
    case Route::kExchange:
      co_return co_await serve_exchange(parser, answer);
    case Route::kAlive:
      final.message = kAlive;
      break;
    case Route::kReady:
      final = answer_readiness(core_.options);
      break;
    case Route::kPreflight:
      final = answer_preflight(parser.head());
      break;
  }
  co_return co_await reply(final, answer);
}

HttpSession::Task<bool> HttpSession::serve_exchange(RequestParser& parser, Answer& answer) {
  const RefusalForm form = form_of(parser.head());
  callers_.ask(core_.options, parser.head());
  std::optional<Admission> admission = callers_.take();
  if (!admission) set_deadline(core_.options.body_timeout, AtDeadline::kWake);
  while (!admission) {
    if (closing_) co_return false;
    if (expired_) {
      admission = Refusal{.error = unavailable("The caller could not be checked in time"),
                          .retry_after = kRetryAfter};
      break;
    }
    co_await signal_.wait();
    admission = callers_.take();
  }
  std::optional<protocol::Final> refusal;
  if (const auto* refused = std::get_if<Refusal>(&*admission)) {
    refusal = answer_refused(*refused, form);
  } else {
    refusal = check_content(parser.head());
    if (!refusal && parser.declares_too_much())
      refusal = refuse(413, "The body of the request is too large", form);
  }
  if (refusal) co_return co_await refuse_request(*refusal, parser, answer);

  // A client that has begun to send its body does not wait for leave to do so.
  if (parser.head().expect && answer.chunked && !parser.done() && buffer_.size() == 0) {
    const bool written = co_await write(kContinue);
    if (!written) co_return false;
  }
  Admitted caller = std::get<Admitted>(*std::move(admission));
  const std::string holder = holder_of(caller.principal, callers_.peer());
  parser.charge(QuotaShare(core_.body_bytes, holder));
  answer.unread = QuotaShare(core_.answer_bytes, holder);
  if (parser.head().route != nullptr) {
    answer.under_way = QuotaShare(core_.route_requests, holder);
    if (!answer.under_way.grow(1)) refusal = refuse(429, "This caller has too many requests under way", form);
  }
  if (refusal) co_return co_await refuse_request(*refusal, parser, answer);
  const Wait wait = co_await read_body(parser);
  if (wait == Wait::kClosed) co_return false;
  if (wait == Wait::kExpired) {
    refusal = refuse(408, "The body of the request took too long", form);
  } else if (parser.failed()) {
    refusal = refuse(parser.status(), parser.reason(), form);
  }
  if (refusal) co_return co_await refuse_request(*refusal, parser, answer);

  deliver(parser, std::move(caller));
  parser.discharge();
  const bool reuse = co_await write_answer(*queue_, answer);
  discard(queue_->close(), core_.threads);
  queue_.reset();
  co_return reuse;
}

void HttpSession::deliver(RequestParser& parser, Admitted caller) {
  const ResponseQueue::Limits limits{.bytes_max = core_.options.stream_queue_bytes_max,
                                     .accepts_stream = parser.head().http.accepts_stream,
                                     .form = form_of(parser.head())};
  queue_ = std::make_shared<ResponseQueue>(*this, limits);
  protocol::Inbound inbound{.body = std::move(parser.body()),
                            .http = std::move(parser.head().http),
                            .connection = nullptr,
                            .principal = std::move(caller.principal),
                            .identity = std::move(caller.identity),
                            .peer = callers_.peer(),
                            .channel = channel_};
  auto exchange = std::make_shared<HttpExchange>(queue_, std::move(inbound));
  const HttpRoute* const route = parser.head().route;
  if (route == nullptr) return call_receiver(core_.receiver, std::move(exchange));
  core_.threads.run([route, exchange = std::move(exchange)]() mutable {
    call_receiver(route->receiver, std::move(exchange));
  });
}

bool HttpSession::Answer::take_room(std::size_t bytes) {
  unread.release();
  if (bytes <= kHttpSmallAnswerBytes || unread.grow(bytes)) return true;
  log::warning("http_answers_unread", {{"next", "an answer is dropped"}, {"bytes", bytes}});
  return false;
}

HttpSession::Task<bool> HttpSession::write_answer(ResponseQueue& queue, Answer& answer) {
  clear_deadline();
  while (true) {
    ResponseQueue::Batch batch = queue.take();
    if (batch.overflowed) co_return false;
    if (batch.reply) {
      if (batch.reply->body) co_return co_await write_body(*batch.reply, answer);
      if (!answer.take_room(batch.reply->message.size()))
        batch.reply = refuse(503, "This caller leaves too many answers unread");
      co_return co_await reply(*batch.reply, answer);
    }
    if (!batch.empty()) {
      const bool last = batch.ended;
      if (!answer.take_room(batch.events.size())) co_return false;
      const bool written = co_await write_events(batch, answer);
      if (!written || last) co_return written && !wants_close(answer);
      set_deadline(core_.options.keep_alive, AtDeadline::kWake);
      continue;
    }
    if (ended_ || closing_) co_return false;
    if (answer.streaming && expired_) {
      ResponseQueue::Batch quiet;
      append_sse_comment(quiet.events);
      const bool written = co_await write_events(quiet, answer);
      if (!written) co_return false;
      set_deadline(core_.options.keep_alive, AtDeadline::kWake);
    }
    start_read(kHttpIdleBufferBytes);
    co_await signal_.wait();
  }
}

HttpSession::Task<bool> HttpSession::refuse_request(const protocol::Final& final, const RequestParser& parser,
                                                    Answer& answer) {
  // What follows on the wire belongs to the refused request, so nothing after it can be understood.
  if (!parser.done()) {
    answer.keep_alive = false;
    linger_ = true;
  }
  log::debug("http_refused", {{"status", final.status}});
  co_return co_await reply(final, answer);
}

HttpSession::Task<bool> HttpSession::reply(const protocol::Final& final, const Answer& answer) {
  const bool close = wants_close(answer);
  const ResponseFrame frame{.cors = answer.cors, .close = close, .head_only = answer.head_only};
  const EncodedResponse response = encode_response(final, frame);
  bool written = co_await write(response.text);
  if (written) written = co_await write(response.rest);
  co_return written && !close;
}

// Closing a socket with unread input resets the connection, and the peer may lose the answer it has not read
// yet. So the input of a refused request is read and dropped for a while.
HttpSession::Task<void> HttpSession::finish() {
  if (!closing_) {
    set_deadline(kHttpLingerTimeout, AtDeadline::kClose);
    co_await stream_->shutdown();
    std::size_t dropped = 0;
    while (linger_ && dropped < kHttpLingerBytesMax) {
      dropped += buffer_.size();
      buffer_.consume(buffer_.size());
      const Wait wait = co_await fill(kHttpReadBufferBytesMax);
      if (wait != Wait::kData) break;
    }
  }
  close_now();
}

}  // namespace sluice::transport
