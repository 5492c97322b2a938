#include "upstream_calls.h"

#include <algorithm>

#include <fmt/format.h>

#include "sluice/base/sleep.h"
#include "sluice/base/text.h"

#include "unanswered.h"

namespace sluice::gateway {
namespace {

constexpr std::size_t kQueuedForEachRunning = 4;
constexpr std::size_t kMessageBytes = 400;
constexpr std::chrono::milliseconds kAskedTimeMax{3'600'000};  // Of a call that others watch over.
constexpr std::int64_t kNotFoundCode = -32002;
constexpr std::int64_t kInvalidParamsCode = -32602;

bool can_be_asked(const protocol::ClientCapabilities& client) {
  return client.elicit_form || client.elicit_url || client.sample || client.roots;
}

}  // namespace

UpstreamCalls::UpstreamCalls(const NodeConfig& config, const Clock& clock, UpstreamConnection& connection)
    : config_(config),
      clock_(clock),
      connection_(connection),
      slots_(config.max_concurrency, config.max_concurrency * kQueuedForEachRunning),
      relay_(std::make_unique<AskRelay>()) {}

bool UpstreamCalls::is_worth_another_try(const Error& error) {
  return error.kind == ErrorKind::kUnavailable && !client::rpc_code(error) && error.code != "upstream_down";
}

bool UpstreamCalls::pause(std::chrono::milliseconds time, const CallOptions& options) const {
  if (options.deadline != Monotonic::max() && clock_.now() + time >= options.deadline) return false;
  return sleep_unless_stopped(time, options.stop);
}

Monotonic UpstreamCalls::patience_of(const CallOptions& options) const {
  return std::min(options.deadline, clock_.now() + config_.timeout);
}

bool UpstreamCalls::needs_relay(const CallOptions& options) const {
  return config_.relay_questions && options.ask && can_be_asked(options.client);
}

Result<protocol::Answer> UpstreamCalls::relay_question(const CallOptions& options,
                                                       const protocol::Question& question) const {
  if (!config_.relay_questions || !options.ask)
    return unavailable("nobody can be asked").with_code("nobody_to_ask");
  Result<catalog::Answers> answers = options.ask({question});
  if (answers.ok()) {
    if (const auto at = answers->find(question.key); at != answers->end()) return std::move(at->second);
    return internal_error("the answer has another key");
  }
  if (answers.error().kind == ErrorKind::kMissingCapability)
    return answer_of_nobody(question.body, std::move(answers).error());
  return std::move(answers).error();
}

client::CallOptions UpstreamCalls::client_call(const CallOptions& options) const {
  client::CallOptions call;
  call.stop = options.stop;
  call.timeout = options.is_timed_elsewhere ? kAskedTimeMax : config_.timeout;
  if (!options.is_timed_elsewhere && options.deadline != Monotonic::max()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(options.deadline - clock_.now());
    call.timeout = std::clamp(left, std::chrono::milliseconds(1), config_.timeout);
  }
  call.meta = options.meta;
  if (options.progress) call.on_progress = options.progress;
  // A question on a pipe names no call: it belongs to the only one that can be asked.
  if (options.ask) {
    call.ask = [this, &options](const protocol::Question& question, const std::stop_token&) {
      return relay_question(options, question);
    };
  }
  return call;
}

Status UpstreamCalls::available() const {
  const std::shared_ptr<const Discovery> known = connection_.discovery();
  if (known->state != NodeState::kDown) return {};
  return unavailable(fmt::format("upstream {} is not available: {}", config_.name, known->problem))
      .with_code("upstream_down")
      .with_hint("It is connected to again by itself. Call again later, or see the tool diagnose.");
}

Status UpstreamCalls::wait_until_known(const CallOptions& options) const {
  if (connection_.is_started() && connection_.discovery()->state == NodeState::kConnecting) {
    if (!connection_.wait_first_attempt(patience_of(options), options.stop)) {
      if (options.stop.stop_requested()) return cancelled();
      return unavailable(fmt::format("upstream {} is not available: it does not answer", config_.name))
          .with_code("upstream_down")
          .with_hint("It is still being connected to. Call again later, or see the tool diagnose.");
    }
  }
  return available();
}

Error UpstreamCalls::failure(const Error& cause) const {
  if (cause.kind == ErrorKind::kCancelled || cause.kind == ErrorKind::kInputRequired ||
      cause.code == "upstream_down" || cause.code == "upstream_busy")
    return cause;
  const std::string said = excerpt(cause.message, kMessageBytes);
  if (const std::optional<std::int64_t> code = client::rpc_code(cause)) {
    const ErrorKind kind = *code == kNotFoundCode        ? ErrorKind::kNotFound
                           : *code == kInvalidParamsCode ? ErrorKind::kInvalidInput
                                                         : ErrorKind::kUnavailable;
    return make_error(kind, fmt::format("upstream {}: {}", config_.name, said))
        .with_code("upstream_error")
        .with_hint("These are the words of that server. Change the request, or call again later.");
  }
  if (cause.kind == ErrorKind::kDeadline)
    return make_error(ErrorKind::kDeadline, fmt::format("upstream {} did not answer in time", config_.name))
        .with_code("upstream_timeout")
        .with_hint("Ask for less, or call again.");
  if (cause.kind == ErrorKind::kLimitReached)
    return make_error(ErrorKind::kLimitReached, fmt::format("upstream {}: {}", config_.name, said))
        .with_code("upstream_answer_too_large")
        .with_hint("Ask for less.");
  if (cause.code == "nobody_to_ask")
    return unavailable(fmt::format("upstream {} has a question, and {}", config_.name, said))
        .with_code("nobody_to_ask");
  return unavailable(fmt::format("upstream {} failed: {}", config_.name, said))
      .with_code("upstream_failed")
      .with_hint("It is connected to again by itself. Call again later, or see the tool diagnose.");
}

}  // namespace sluice::gateway
