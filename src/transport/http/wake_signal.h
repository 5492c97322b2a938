#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>

namespace sluice::transport {

// Wakes one coroutine on its own thread. Given before anybody waits it is kept, given twice it counts once. A
// timer that never expires carries it, because cancelling a timer is the library's way to complete a wait at
// will.
class WakeSignal {
 public:
  explicit WakeSignal(boost::asio::io_context& context)
      : timer_(context, boost::asio::steady_timer::time_point::max()) {}

  void give() {
    given_ = true;
    timer_.cancel();
  }

  boost::asio::awaitable<void> wait() {
    boost::system::error_code cancelled;
    if (!given_)
      co_await timer_.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, cancelled));
    given_ = false;
  }

 private:
  boost::asio::steady_timer timer_;
  bool given_ = false;
};

}  // namespace sluice::transport
