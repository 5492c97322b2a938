#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <boost/system/error_code.hpp>

#include "sluice/protocol/exchange.h"

#include "http/byte_stream.h"
#include "http/caller_check.h"
#include "http/http_core.h"
#include "http/http_exchange.h"
#include "http/io_worker.h"
#include "http/read_buffer.h"
#include "http/request_parser.h"
#include "http/wake_signal.h"

namespace sluice::transport {

// One connection, from handshake to close: a coroutine that reads a request, hands it over, writes its answer
// and starts again. While an answer is pending one read stays under way, to see the peer leave and to take
// pipelined requests. It sleeps on one signal, which reads, answers and deadlines give; so every wait below
// is a loop that looks at what has changed. All methods are called on the worker's thread, except wake().
class HttpSession final : public std::enable_shared_from_this<HttpSession>, public Waker, public ReadSink {
 public:
  // The session is kept alive by its own coroutine and by the operations under way.
  static void start(HttpCore& core, IoWorker& worker, ConnectionTicket ticket, std::string peer,
                    std::unique_ptr<ByteStream> stream);
  HttpSession(HttpCore& core, IoWorker& worker, ConnectionTicket ticket, std::string peer,
              std::unique_ptr<ByteStream> stream);
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;
  ~HttpSession() override;

  void on_tick(std::chrono::steady_clock::time_point now);
  void drain();      // Ends the connection once the open exchange is answered.
  void close_now();  // Ends it in the middle of anything.
  bool is_closing() const { return closing_; }

  void wake() override;  // Any thread.
  void on_read(boost::system::error_code error, std::size_t bytes) override;

 private:
  enum class Wait : std::uint8_t { kData, kClosed, kExpired };
  enum class AtDeadline : std::uint8_t { kWake, kClose };
  // Where a response stands, for one request.
  struct Answer {
    std::string cors;
    bool chunked = true;     // False: the peer speaks HTTP/1.0.
    bool head_only = false;  // The method is HEAD.
    bool keep_alive = true;
    bool streaming = false;
    QuotaShare unread;     // What it takes of the bytes that all callers may leave unread.
    QuotaShare under_way;  // Of the requests to routes.

    // Room for what is written next. What was written before has been read, or is about to be.
    bool take_room(std::size_t bytes);
  };
  template <typename T>
  using Task = boost::asio::awaitable<T>;

  // Arguments in a co_await expression are named variables: g++ 12 destroys some temporaries there twice.
  Task<void> run();
  Task<bool> await_request();
  Task<bool> serve_one();  // False: the connection ends. So for the four below.
  Task<bool> serve_exchange(RequestParser& parser, Answer& answer);
  Task<bool> write_answer(ResponseQueue& queue, Answer& answer);
  Task<bool> refuse_request(const protocol::Final& final, const RequestParser& parser, Answer& answer);
  Task<bool> reply(const protocol::Final& final, const Answer& answer);
  Task<void> finish();

  Task<Wait> read_head(RequestParser& parser);  // kData: the head is complete, or wrong.
  Task<Wait> read_body(RequestParser& parser);  // kData: the body is complete, or wrong.
  Task<Wait> fill(std::size_t bytes);
  Task<bool> write_events(ResponseQueue::Batch& batch, Answer& answer);
  Task<bool> write_body(protocol::Final& final, Answer& answer);
  Task<bool> write(std::string_view bytes);
  void start_read(std::size_t bytes);
  void deliver(RequestParser& parser, Admitted caller);
  void set_deadline(std::chrono::milliseconds after, AtDeadline action);
  void clear_deadline();
  bool wants_close(const Answer& answer) const { return draining_ || !answer.keep_alive; }

  ConnectionTicket ticket_;
  HttpCore& core_;
  IoWorker& worker_;
  CallerCheck callers_;
  const std::uint64_t channel_;  // The number of this connection, from 1 on.
  std::unique_ptr<ByteStream> stream_;
  WakeSignal signal_;
  ReadBuffer buffer_;
  IoWorker::Place place_;                 // After what can fail: a session that is listed must live.
  std::shared_ptr<ResponseQueue> queue_;  // Of the open exchange, shared with it.
  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::time_point::max();
  AtDeadline at_deadline_ = AtDeadline::kWake;
  bool idle_ = false;
  bool ready_ = false;     // The handshake is done.
  bool reading_ = false;   // A read is under way.
  bool ended_ = false;     // The peer sends no more.
  bool expired_ = false;   // The deadline has passed.
  bool draining_ = false;  // No further request.
  bool closing_ = false;   // Nothing more at all.
  bool linger_ = false;    // Input is unread that the peer may be sending still.
};

}  // namespace sluice::transport
