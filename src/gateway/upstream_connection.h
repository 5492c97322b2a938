#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>

#include "sluice/base/background_thread.h"
#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/client/client.h"
#include "sluice/gateway/discovery.h"
#include "sluice/gateway/node_config.h"

#include "change_listeners.h"
#include "upstream_resources.h"

namespace sluice::gateway {

// The connection to one upstream, and what the upstream offers. It is given a client that connects by itself,
// or follows the server after `start`: then a thread connects, reads the lists, reads them again after the
// server said that they changed, and reconnects after the server ended. Any thread.
class UpstreamConnection {
 public:
  using Connector = std::function<Result<std::unique_ptr<client::Client>>(client::ClientOptions options)>;

  // What it refers to must outlive it.
  UpstreamConnection(const NodeConfig& config, const NodeDependencies& dependencies,
                     ChangeListeners& listeners, UpstreamResources& resources);
  UpstreamConnection(const UpstreamConnection&) = delete;
  UpstreamConnection& operator=(const UpstreamConnection&) = delete;
  ~UpstreamConnection();  // Closes it.

  Status open(const Connector& connector);  // Once, before everything else.
  void request_stop() { thread_.request_stop(); }
  client::Client& client() { return *client_; }

  // Connects and reads the lists; a list that fails counts as empty.
  Status connect(const client::CallOptions& call);
  void start();
  bool is_started() const { return thread_.is_started(); }
  // Ends the current back-off and reconnects now: what was missing may be there.
  void retry();
  // Whether the first attempt to connect is over, well or badly, and waiting until it is. False: it is not,
  // and the time is.
  bool is_attempted() const;
  bool wait_first_attempt(Monotonic until, const std::stop_token& stop) const;

  std::shared_ptr<const Discovery> discovery() const;  // What is known now. Never null.
  // A call failed. If a dead connection explains it, the server is asked for a sign of life.
  void note_failure(const Error& error);
  void wake();  // `UpstreamResources::maintain` has something to do.

 private:
  struct State {
    std::shared_ptr<const Discovery> discovery =
        std::make_shared<const Discovery>();  // Shared with who got it.
    bool is_attempted = false;
    bool is_retry = false;           // See retry().
    bool is_suspect = false;         // A call failed in a way that a dead connection explains.
    bool has_work = false;           // For the resources.
    std::uint8_t changed_lists = 0;  // Which are to be read again,
    std::uint8_t unheard_lists = 0;  // and which have not been heard of: the server was too slow.
  };
  // What there is to do for a connection that stands.
  struct Work {
    std::uint8_t lists = 0;
    bool has_to_ping = false;
  };

  client::ClientOptions client_options();
  client::CallOptions call_options(const std::stop_token& stop) const;
  Status discover(const client::CallOptions& call, std::uint8_t lists);
  Result<std::uint8_t> read_lists(const client::CallOptions& call, std::uint8_t lists, Discovery& into);
  void publish(std::shared_ptr<const Discovery> next);
  void set_down(const Error& error);
  void note_attempt();
  void lists_changed(std::uint8_t lists);
  void supervise(const std::stop_token& stop);
  void look_after(const std::stop_token& stop);
  Work wait_for_work(const std::stop_token& stop, std::chrono::milliseconds& list_again);

  const NodeConfig& config_;
  const NodeDependencies& dependencies_;
  ChangeListeners& listeners_;
  UpstreamResources& resources_;
  mutable Mutex mutex_;
  mutable CondVar wake_;
  State state_ SLUICE_GUARDED_BY(mutex_);
  Mutex discover_mutex_;                    // One discovery at a time.
  std::unique_ptr<client::Client> client_;  // After what its callbacks use.
  BackgroundThread thread_;                 // Last: it ends before the rest is destroyed.
};

}  // namespace sluice::gateway
