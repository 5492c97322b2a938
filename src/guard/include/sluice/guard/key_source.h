#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"
#include "sluice/guard/issuer_client.h"
#include "sluice/guard/key_set.h"

namespace sluice::guard {

// The keys of one issuer: loaded in the background, again before they are out of date, and once more when a
// token names a key that is not among them. Keys that cannot be loaded again stay good for a day. Any thread.
class KeySource {
 public:
  // `clock` must outlive it. `name` is the issuer's in the configuration.
  KeySource(std::string name, std::unique_ptr<IssuerClient> client, const Clock& clock);

  struct Loaded {
    std::shared_ptr<const KeySet>
        keys;  // Shared with whoever verifies a token. Null: never loaded, or too old.
    std::string introspection_endpoint;
  };
  Loaded loaded() const;

  enum class Outcome : std::uint8_t { kLoaded, kFailed };
  using Done = std::function<void(Outcome)>;
  // For a token that needs a key which is not there. Loads the keys, unless that was done for such a token
  // within the last half minute; concurrent calls share one load. `done` is called once: before it returns
  // with the outcome of the last load, or after a load from the thread that runs it.
  void want_newer(Done done);

  // Loads keys until `stop` is requested; then whoever waits gets kFailed. Called on a dedicated thread.
  void run(const std::stop_token& stop);

  IssuerClient& client() { return *client_; }

 private:
  // What a load was good for, and who waits for it.
  void finish(Result<IssuerKeys> result);
  void schedule(const Result<IssuerKeys>& result) SLUICE_REQUIRES(mutex_);

  const std::string name_;
  const std::unique_ptr<IssuerClient> client_;
  const Clock& clock_;
  mutable Mutex mutex_;
  CondVar wanted_;
  Loaded loaded_ SLUICE_GUARDED_BY(mutex_);
  std::vector<Done> waiting_ SLUICE_GUARDED_BY(mutex_);
  Monotonic loaded_at_ SLUICE_GUARDED_BY(mutex_);
  Monotonic due_ SLUICE_GUARDED_BY(mutex_);                       // The next load.
  std::optional<Monotonic> wanted_at_ SLUICE_GUARDED_BY(mutex_);  // The last load for an unknown key.
  std::optional<Outcome> last_ SLUICE_GUARDED_BY(mutex_);         // nullopt: the first load has not ended.
  std::chrono::milliseconds retry_delay_ SLUICE_GUARDED_BY(mutex_){0};  // After a failed load.
};

}  // namespace sluice::guard
