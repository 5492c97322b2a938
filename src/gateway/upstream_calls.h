#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sluice/base/result.h"
#include "sluice/client/client.h"
#include "sluice/gateway/call_options.h"
#include "sluice/gateway/node_config.h"

#include "ask_relay.h"
#include "call_slots.h"
#include "upstream_connection.h"

namespace sluice::gateway {

// Runs requests of callers on the connection to one upstream: how many at once, for how long, how often, and
// who answers what the upstream asks meanwhile. Any thread.
class UpstreamCalls {
 public:
  enum class Access : std::uint8_t { kReads, kActs };

  // What it refers to must outlive it.
  UpstreamCalls(const NodeConfig& config, const Clock& clock, UpstreamConnection& connection);

  // `call` gets the client and the options of the request. What only reads is tried again. Errors are those
  // of `failure`.
  template <typename T, typename Call>
  Result<T> run(Access access, const CallOptions& options, const Call& call);
  // The same for what acts, and may be asked something by the upstream. A retry with the same `key` continues
  // the request that waits for the answer.
  template <typename T, typename Call>
  Result<T> run_asking(const std::string& key, const CallOptions& options, const Call& call);
  // Whether `run_asking` keeps the request while the caller answers.
  bool needs_relay(const CallOptions& options) const;

  client::CallOptions client_call(const CallOptions& options) const;
  // While the first attempt to connect is under way, it is not known what there is: waits for its end.
  Status wait_until_known(const CallOptions& options) const;
  // The error for a caller. What the upstream said goes into it as data.
  Error failure(const Error& cause) const;
  void stop() { relay_.reset(); }  // Waits for requests that are kept for their callers.

 private:
  Status available() const;
  // False: the caller does not want another attempt.
  bool pause(std::chrono::milliseconds time, const CallOptions& options) const;
  Result<protocol::Answer> relay_question(const CallOptions& options,
                                          const protocol::Question& question) const;
  Monotonic patience_of(const CallOptions& options) const;
  static bool is_worth_another_try(const Error& error);

  static constexpr std::chrono::milliseconds kRetryFirst{100};

  const NodeConfig& config_;
  const Clock& clock_;
  UpstreamConnection& connection_;
  CallSlots slots_;
  std::unique_ptr<AskRelay> relay_;
};

template <typename T, typename Call>
Result<T> UpstreamCalls::run(Access access, const CallOptions& options, const Call& call) {
  SLUICE_CHECK(available());
  Result<CallSlots::Slot> slot = slots_.take(patience_of(options), options.stop);
  if (!slot.ok()) return failure(slot.error());
  std::chrono::milliseconds wait = kRetryFirst;
  for (std::size_t attempt = 1;; ++attempt) {
    const client::CallOptions given = client_call(options);
    Result<T> result = call(connection_.client(), given);
    if (result.ok()) return result;
    connection_.note_failure(result.error());
    const bool again =
        access == Access::kReads && attempt < config_.attempts && is_worth_another_try(result.error());
    if (!again || !pause(wait, options)) return failure(result.error());
    wait *= 2;
  }
}

template <typename T, typename Call>
Result<T> UpstreamCalls::run_asking(const std::string& key, const CallOptions& options, const Call& call) {
  if (!needs_relay(options)) return run<T>(Access::kActs, options, call);
  auto kept = std::make_shared<std::optional<Result<T>>>();  // Of the thread that calls, and of who waits.
  const AskRelay::Terms terms{.waits = !protocol::is_modern(connection_.discovery()->server.revision),
                              .time_max = config_.timeout};
  const Result<std::shared_ptr<void>> outcome = relay_->run(
      key, options, terms,
      [this, kept, call](const CallOptions& own) { *kept = run<T>(Access::kActs, own, call); }, kept);
  if (!outcome.ok()) return failure(outcome.error());
  auto& result = *std::static_pointer_cast<std::optional<Result<T>>>(*outcome);
  return *std::move(result);
}

}  // namespace sluice::gateway
