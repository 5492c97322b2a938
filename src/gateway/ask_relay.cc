#include "ask_relay.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/crypto/random.h"

namespace sluice::gateway {
namespace {

constexpr std::size_t kCallsMax = 64;

Error nobody_answers() {
  return unavailable("the caller did not come back with an answer").with_code("nobody_to_ask");
}

}  // namespace

// One call, and the hand-over between its thread and the caller at hand.
struct AskRelay::Parked {
  std::string key;
  bool waits = true;
  std::shared_ptr<void> outcome;
  std::stop_source stop;
  std::thread thread;  // The relay's mutex guards it.

  Mutex mutex;
  CondVar changed;
  std::function<void(protocol::Progress)> progress SLUICE_GUARDED_BY(mutex);  // Of the caller at hand.
  std::optional<protocol::Question> question SLUICE_GUARDED_BY(mutex);        // Waits for an answer.
  std::optional<Result<protocol::Answer>> answer SLUICE_GUARDED_BY(mutex);
  bool is_attended SLUICE_GUARDED_BY(mutex) = true;  // A caller is at hand.
  bool is_done SLUICE_GUARDED_BY(mutex) = false;

  // On the call's thread.
  Result<protocol::Answer> ask(protocol::Question asked) {
    const MutexLock lock(mutex);
    // So that only a retry of this very call has an answer to it.
    if (waits) asked.key = crypto::random_token();
    question = std::move(asked);
    answer.reset();
    changed.notify_all();
    const std::stop_token token = stop.get_token();
    changed.wait_for(mutex, token, kAskTimeout, [&]() SLUICE_REQUIRES(mutex) { return answer.has_value(); });
    question.reset();
    if (token.stop_requested()) return cancelled();
    if (!answer) return nobody_answers();
    return *std::exchange(answer, std::nullopt);
  }

  void report(protocol::Progress done) {
    const MutexLock lock(mutex);
    if (progress) progress(std::move(done));
  }
};

AskRelay::~AskRelay() {
  {
    const MutexLock lock(mutex_);
    for (const ParkedPtr& call : calls_) call->stop.request_stop();
    idle_.wait(mutex_, [&]() SLUICE_REQUIRES(mutex_) { return calls_.empty(); });
  }
  join_ended();
}

// They have nothing left to do but to end.
void AskRelay::join_ended() {
  std::vector<std::thread> ended;
  {
    const MutexLock lock(mutex_);
    ended.swap(ended_);
  }
  for (std::thread& thread : ended) thread.join();
}

std::size_t AskRelay::size() const {
  const MutexLock lock(mutex_);
  return calls_.size();
}

void AskRelay::finished(const ParkedPtr& call) {
  {
    const MutexLock lock(call->mutex);
    call->is_done = true;
    call->changed.notify_all();
  }
  const MutexLock lock(mutex_);
  calls_.remove(call);
  ended_.push_back(std::move(call->thread));
  idle_.notify_all();
}

Result<AskRelay::ParkedPtr> AskRelay::begin(const std::string& key, const CallOptions& options,
                                            const Terms& terms, Work work, std::shared_ptr<void> outcome) {
  auto call = std::make_shared<Parked>();
  call->key = key;
  call->waits = terms.waits;
  call->outcome = std::move(outcome);
  {
    const MutexLock lock(call->mutex);
    call->progress = options.progress;
  }
  join_ended();
  {
    const MutexLock lock(mutex_);
    if (calls_.size() >= kCallsMax)
      return limit_reached("calls of this upstream that may be asked about", kCallsMax)
          .with_code("upstream_busy")
          .with_hint("Call again when some of those under way have ended.");
    calls_.push_back(call);
  }
  CallOptions own = options;
  own.stop = call->stop.get_token();
  own.is_timed_elsewhere = true;
  if (options.progress) own.progress = [call](protocol::Progress done) { call->report(std::move(done)); };
  own.ask = [call](std::vector<protocol::Question> questions) -> Result<catalog::Answers> {
    catalog::Answers answers;
    for (protocol::Question& question : questions) {
      const std::string name = question.key;
      SLUICE_TRY(protocol::Answer answer, call->ask(std::move(question)));
      answers.emplace(name, std::move(answer));
    }
    return answers;
  };
  const MutexLock lock(mutex_);  // It does not end before its thread is known.
  call->thread = std::thread([this, call, own = std::move(own), work = std::move(work)] {
    work(own);
    finished(call);
  });
  return call;
}

// Several of the same may wait: an answer names the one it belongs to.
AskRelay::ParkedPtr AskRelay::resume(const std::string& key, const CallOptions& options) {
  std::vector<ParkedPtr> candidates;
  {
    const MutexLock lock(mutex_);
    std::copy_if(calls_.begin(), calls_.end(), std::back_inserter(candidates),
                 [&](const ParkedPtr& call) { return call->key == key; });
  }
  for (const ParkedPtr& call : candidates) {
    const MutexLock lock(call->mutex);
    if (call->is_attended || !call->question || call->answer) continue;
    const protocol::Question question = *call->question;
    Result<catalog::Answers> answers = options.ask({question});
    if (!answers.ok()) continue;
    call->is_attended = true;
    call->progress = options.progress;
    call->answer = std::move(answers->begin()->second);
    call->changed.notify_all();
    return call;
  }
  return nullptr;
}

Status AskRelay::attend(const ParkedPtr& call, const CallOptions& options, const Terms& terms) {
  MutexLock lock(call->mutex);
  while (true) {
    const auto has_news = [&]() SLUICE_REQUIRES(call->mutex) {
      return call->is_done || (call->question && !call->answer);
    };
    if (!call->changed.wait_for(call->mutex, options.stop, terms.time_max, has_news)) {
      call->progress = {};
      lock.unlock();
      call->stop.request_stop();
      if (options.stop.stop_requested()) return cancelled();
      return deadline_exceeded();
    }
    if (call->is_done) return {};
    const protocol::Question question = *call->question;
    lock.unlock();
    Result<catalog::Answers> answers = options.ask({question});
    lock.lock();
    if (!answers.ok() && answers.error().kind == ErrorKind::kInputRequired && call->waits) {
      call->is_attended = false;
      call->progress = {};
      return std::move(answers).error();
    }
    if (answers.ok()) {
      call->answer = std::move(answers->begin()->second);
    } else {
      call->answer = std::move(answers).error();
    }
    call->changed.notify_all();
  }
}

Result<std::shared_ptr<void>> AskRelay::run(const std::string& key, const CallOptions& options,
                                            const Terms& terms, Work work, std::shared_ptr<void> outcome) {
  ParkedPtr call = options.is_retry && terms.waits ? resume(key, options) : nullptr;
  if (call == nullptr) {
    SLUICE_TRY(call, begin(key, options, terms, std::move(work), std::move(outcome)));
  }
  SLUICE_CHECK(attend(call, options, terms));
  return call->outcome;
}

}  // namespace sluice::gateway
