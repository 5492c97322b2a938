// The part of a session that moves bytes and waits; http_session.cc decides what they mean.
#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include "sluice/base/limits.h"

#include "http/body_pull.h"
#include "http/http_session.h"
#include "http/response_head.h"

namespace sluice::transport {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

// A piece in the framing of Transfer-Encoding: chunked; the last one if it is empty.
std::string as_chunk(std::string piece) {
  if (piece.empty()) return "0\r\n\r\n";
  piece.insert(0, fmt::format("{:x}\r\n", piece.size()));
  return piece.append("\r\n");
}

}  // namespace

HttpSession::Task<HttpSession::Wait> HttpSession::read_head(RequestParser& parser) {
  set_deadline(core_.options.header_timeout, AtDeadline::kWake);
  while (true) {
    buffer_.consume(parser.put_head(buffer_.view()));
    if (parser.failed() || parser.head_done()) co_return Wait::kData;
    const Wait wait = co_await fill(std::max(kHttpIdleBufferBytes, buffer_.size()));
    if (wait != Wait::kData) co_return wait;
  }
}

HttpSession::Task<HttpSession::Wait> HttpSession::read_body(RequestParser& parser) {
  if (parser.done()) co_return Wait::kData;
  set_deadline(core_.options.body_timeout, AtDeadline::kWake);
  while (true) {
    if (buffer_.size() > 0) buffer_.consume(parser.put_body(buffer_.view()));
    if (parser.failed() || parser.done()) co_return Wait::kData;
    const Wait wait = co_await fill(kHttpReadBufferBytesMax);
    if (wait != Wait::kData) co_return wait;
  }
}

HttpSession::Task<HttpSession::Wait> HttpSession::fill(std::size_t bytes) {
  start_read(bytes);
  while (reading_) {
    if (closing_ || (draining_ && !queue_)) co_return Wait::kClosed;
    if (expired_) co_return Wait::kExpired;
    co_await signal_.wait();
  }
  co_return ended_ || closing_ ? Wait::kClosed : Wait::kData;
}

void HttpSession::start_read(std::size_t bytes) {
  if (reading_ || ended_ || closing_) return;
  const std::span<char> room = buffer_.prepare(bytes);
  if (room.empty()) return;
  reading_ = true;
  stream_->start_read(asio::buffer(room.data(), room.size()),
                      std::shared_ptr<ReadSink>(shared_from_this(), this));
}

void HttpSession::on_read(error_code error, std::size_t bytes) {
  reading_ = false;
  buffer_.commit(bytes);
  if (error) ended_ = true;
  signal_.give();
}

HttpSession::Task<bool> HttpSession::write_events(ResponseQueue::Batch& batch, Answer& answer) {
  std::string out;
  if (!answer.streaming) {
    out = encode_stream_head({.cors = answer.cors, .close = wants_close(answer), .head_only = false},
                             answer.chunked);
    answer.streaming = true;
  }
  if (answer.chunked) {
    if (!batch.events.empty()) {
      fmt::format_to(std::back_inserter(out), "{:x}\r\n", batch.events.size());
      batch.events.append("\r\n");
    }
    if (batch.ended) batch.events.append("0\r\n\r\n");
  }
  const bool joined = batch.events.size() <= kHttpJoinBytesMax;
  if (joined) out.append(batch.events);
  bool written = co_await write(out);
  if (written && !joined) written = co_await write(batch.events);
  co_return written;
}

// The pieces of a body, each once the one before is written. A body that fails ends the connection before
// its end, so that its reader sees that it is not whole.
HttpSession::Task<bool> HttpSession::write_body(protocol::Final& final, Answer& answer) {
  const BodyFraming framing{.bytes = final.body->bytes(), .chunked = answer.chunked};
  const bool is_sized = framing.bytes.has_value();
  const bool ends_with_connection = !is_sized && !answer.chunked;
  if (ends_with_connection) answer.keep_alive = false;
  const ResponseFrame frame{.cors = answer.cors, .close = wants_close(answer), .head_only = answer.head_only};
  const std::string head = encode_body_head(final, frame, framing);
  const auto pull = std::make_shared<BodyPull>(std::move(final.body), core_.threads, *this);
  const BodyPullGuard guard(*pull);
  bool written = co_await write(head);
  if (answer.head_only) co_return written && !wants_close(answer);
  while (written) {
    pull->request();
    std::optional<Result<std::string>> piece = pull->take();
    while (!piece) {
      if (ended_ || closing_) co_return false;
      start_read(kHttpIdleBufferBytes);
      co_await signal_.wait();
      piece = pull->take();
    }
    const bool is_aborted = !piece->ok() || !answer.take_room((*piece)->size());
    if (is_aborted) {
      log::warning("http_body_aborted", {{"why", piece->ok() ? "unread answers" : piece->error().message}});
      if (ends_with_connection) {
        stream_->reset();
        closing_ = true;
      }
      co_return false;
    }
    std::string& bytes = **piece;
    const bool is_last = bytes.empty();
    if (!is_sized && answer.chunked) bytes = as_chunk(std::move(bytes));
    written = co_await write(bytes);
    if (is_last) co_return written && !wants_close(answer);
  }
  co_return false;
}

HttpSession::Task<bool> HttpSession::write(std::string_view bytes) {
  while (!bytes.empty()) {
    if (closing_) co_return false;
    set_deadline(core_.options.write_timeout, AtDeadline::kClose);
    const std::string_view piece = bytes.substr(0, kHttpWriteBytesMax);
    const error_code error = co_await stream_->write(piece);
    if (error) {
      close_now();
      co_return false;
    }
    bytes.remove_prefix(piece.size());
  }
  clear_deadline();
  co_return true;
}

void HttpSession::set_deadline(std::chrono::milliseconds after, AtDeadline action) {
  deadline_ = std::chrono::steady_clock::now() + after;
  at_deadline_ = action;
  expired_ = false;
}

void HttpSession::clear_deadline() {
  deadline_ = std::chrono::steady_clock::time_point::max();
  expired_ = false;
}

void HttpSession::on_tick(std::chrono::steady_clock::time_point now) {
  if (now < deadline_) return;
  deadline_ = std::chrono::steady_clock::time_point::max();
  expired_ = true;
  if (at_deadline_ == AtDeadline::kClose) return close_now();
  signal_.give();
}

void HttpSession::drain() {
  draining_ = true;
  if (!ready_) return close_now();
  signal_.give();
}

void HttpSession::close_now() {
  closing_ = true;
  stream_->close();
  signal_.give();
}

// Called under the lock of the open exchange's queue, so the I/O context is alive; see ResponseQueue::notify.
void HttpSession::wake() {
  auto self = weak_from_this().lock();
  if (!self) return;
  asio::post(worker_.context(), [self = std::move(self)] {
    // A write to a peer that does not read would outlast any signal.
    if (self->queue_ && self->queue_->overflowed()) return self->close_now();
    self->signal_.give();
  });
}

}  // namespace sluice::transport
