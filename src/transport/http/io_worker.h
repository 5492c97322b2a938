#pragma once

#include <chrono>
#include <list>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "http/http_core.h"

namespace sluice::transport {

class HttpSession;

// One I/O thread and the connections that live on it. A connection never changes its thread, so nothing about
// it needs a lock. Unless a comment says otherwise methods are called on that thread.
class IoWorker {
 public:
  explicit IoWorker(HttpCore& core);
  IoWorker(const IoWorker&) = delete;
  IoWorker& operator=(const IoWorker&) = delete;
  ~IoWorker();

  boost::asio::io_context& context() { return context_; }  // Any thread.

  // From the owner's thread. `join` returns once nothing is left to do; call close_all before.
  void start();
  void join();
  // Any thread. Idle connections end now, the others with their open exchange.
  void drain();
  // Any thread. All connections end now.
  void close_all();

  // A new connection. Refused if there are too many and none is idle.
  void adopt(boost::asio::ip::tcp::socket socket);

  // Where a session stands in the lists below.
  using Place = std::list<HttpSession*>::iterator;
  Place enter(HttpSession& session);
  void leave(Place place, bool idle);
  void mark_idle(Place place) { idle_.splice(idle_.end(), busy_, place); }
  void mark_busy(Place place) { busy_.splice(busy_.end(), idle_, place); }

  // Closes the connection that has been idle longest; false if none is idle.
  bool make_room();

 private:
  void run();
  void schedule_tick();
  void tick();

  HttpCore& core_;
  std::list<HttpSession*> busy_;  // Sessions live while their coroutine runs, and leave before they die.
  std::list<HttpSession*> idle_;  // Longest idle first.
  boost::asio::io_context context_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  // One timer serves all deadlines: setting one costs an assignment, and each request sets several.
  boost::asio::steady_timer timer_;
  std::chrono::milliseconds tick_period_;
  bool ticking_ = false;
  bool draining_ = false;
  std::thread thread_;
};

}  // namespace sluice::transport
