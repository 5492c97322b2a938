#include <poll.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "sluice/base/background_thread.h"
#include "sluice/base/sleep.h"
#include "sluice/engine/database.h"
#include "sluice/engine/postgres.h"

#include "connection/connection_text.h"
#include "connection/errors.h"
#include "connection/session.h"

namespace sluice::engine {

namespace postgres {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPauseMin{200};
constexpr milliseconds kPauseMax{10'000};
constexpr std::size_t kChannelBytesMax = 63;

struct FreeNotify {
  void operator()(PGnotify* notify) const noexcept { PQfreemem(notify); }
};

class PostgresListener final : public Listener {
 public:
  PostgresListener(const PostgresOptions& options, std::string text, const std::string& channel,
                   std::function<void(const Notification&)> on_notification)
      : options_(options),
        connection_text_(std::move(text)),
        listen_({.sql = "LISTEN " + quote_name(channel), .parameters = {}}),
        on_notification_(std::move(on_notification)),
        thread_("pg-listener", [this](const std::stop_token& stop) { run(stop); }) {}

 private:
  void run(const std::stop_token& stop) {
    milliseconds pause = kPauseMin;
    while (!stop.stop_requested()) {
      bool was_connected = false;
      const Status ended = listen(stop, was_connected);
      pause = was_connected ? kPauseMin : std::min(2 * pause, kPauseMax);
      sleep_unless_stopped(pause, stop);
    }
  }

  // Until the connection is lost.
  Status listen(const std::stop_token& stop, bool& was_connected) {
    const RunLimits limits{.deadline = Monotonic::max(), .stop = stop};
    SLUICE_TRY(const std::unique_ptr<Link> link, open_session(connection_text_, options_, limits));
    SLUICE_TRY(const Waiter waiter, Waiter::make(limits));
    SLUICE_CHECK(link->send(listen_));
    SLUICE_CHECK(link->sync(waiter));
    SLUICE_TRY(const Answer answer, link->receive_whole(waiter));
    SLUICE_CHECK(link->settle(waiter));
    was_connected = true;
    on_notification_({.payload = {}, .may_have_missed = true});
    while (true) {
      while (const std::unique_ptr<PGnotify, FreeNotify> notify{PQnotifies(link->get())}) {
        on_notification_({.payload = notify->extra, .may_have_missed = false});
      }
      SLUICE_CHECK(waiter.wait(PQsocket(link->get()), POLLIN));
      if (PQconsumeInput(link->get()) != 1) return no_connection();
    }
  }

  const PostgresOptions options_;
  const std::string connection_text_;
  const Statement listen_;
  const std::function<void(const Notification&)> on_notification_;
  BackgroundThread thread_;  // Last: it ends first.
};

}  // namespace

}  // namespace postgres

Result<std::unique_ptr<Listener>> listen_postgres(const PostgresOptions& options, const std::string& channel,
                                                  std::function<void(const Notification&)> on_notification) {
  if (channel.empty() || channel.size() > postgres::kChannelBytesMax ||
      channel.find('\0') != std::string::npos) {
    return invalid_input("listen to a database: the name of a channel has 1 to 63 bytes")
        .with_code("invalid_configuration");
  }
  SLUICE_TRY(std::string text, postgres::connection_text(options));
  return std::unique_ptr<Listener>(std::make_unique<postgres::PostgresListener>(
      options, std::move(text), channel, std::move(on_notification)));
}

}  // namespace sluice::engine
