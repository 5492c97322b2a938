#pragma once

#include <optional>
#include <set>
#include <string>
#include <thread>

#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/protocol/wire/params.h"

#include "session.h"

namespace sluice::client {

// One stream of changes with a thread of its own, opened again whenever it ends. In the modern era what is
// wanted is fixed when the stream opens; in the legacy era URIs come and go. Any thread.
class Listener {
 public:
  Listener(Session& session, std::set<std::string> uris);
  ~Listener();  // Stops.

  // Waits until the server has agreed to something, or the first try has failed.
  Status wait_until_open(Monotonic deadline, std::stop_token stop);
  bool hears(const std::string& uri) const;  // The server has agreed to tell of it.
  std::set<std::string> uris() const;
  // Legacy era: what is subscribed to again after a reconnection.
  void set_uris(std::set<std::string> uris);

 private:
  void run();
  Status serve(std::stop_token stop);
  Status serve_modern(const Connection& at, std::stop_token stop);
  Status serve_legacy(const Connection& at, std::stop_token stop);
  void opened(const std::optional<protocol::ListenParams>& agreed);
  void tell_everything();
  protocol::ListenParams filter_for(const Connection& at) const;

  Session& session_;
  std::stop_source stop_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::set<std::string> uris_ SLUICE_GUARDED_BY(mutex_);
  std::set<std::string> agreed_ SLUICE_GUARDED_BY(mutex_);
  bool is_open_ SLUICE_GUARDED_BY(mutex_) = false;
  bool was_open_ SLUICE_GUARDED_BY(mutex_) = false;
  std::optional<Error> first_failure_ SLUICE_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace sluice::client
