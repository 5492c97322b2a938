#include "http/caller_check.h"

#include <chrono>
#include <exception>
#include <utility>

#include "sluice/base/base64.h"
#include "sluice/base/log.h"
#include "sluice/base/mutex.h"
#include "sluice/base/text.h"

namespace sluice::transport {

// The answer to one question, on its way from any thread to the connection. May outlive the connection.
class CallerCheck::Pending {
 public:
  void deliver(Admission answer) {
    const MutexLock lock(mutex_);
    if (is_forgotten_ || answer_) return;
    answer_ = std::move(answer);
    // Under the lock: `forget` waits for it, so the connection is alive during the call.
    if (waker_ != nullptr) waker_->wake();
  }
  // From now on an answer calls the waker.
  void notify(Waker& waker) {
    const MutexLock lock(mutex_);
    waker_ = &waker;
  }
  std::optional<Admission> take() {
    const MutexLock lock(mutex_);
    return std::exchange(answer_, std::nullopt);
  }
  void forget() {
    const MutexLock lock(mutex_);
    is_forgotten_ = true;
    waker_ = nullptr;
  }

 private:
  Mutex mutex_;
  Waker* waker_ SLUICE_GUARDED_BY(mutex_) = nullptr;
  std::optional<Admission> answer_ SLUICE_GUARDED_BY(mutex_);
  bool is_forgotten_ SLUICE_GUARDED_BY(mutex_) = false;
};

namespace {

// "Bearer <password>" for credentials of the scheme Basic; nullopt if they are none.
std::optional<std::string> bearer_of_basic(std::string_view authorization) {
  constexpr std::string_view kScheme = "basic ";
  if (!equal_ignoring_case(authorization.substr(0, kScheme.size()), kScheme)) return std::nullopt;
  const std::optional<std::string> pair = base64_decode(trim_spaces(authorization.substr(kScheme.size())));
  const std::size_t colon = pair ? pair->find(':') : std::string::npos;
  if (colon == std::string::npos) return std::nullopt;
  return "Bearer " + pair->substr(colon + 1);
}

}  // namespace

void CallerCheck::ask(const HttpServerOptions& options, const RequestHead& head) {
  forget();
  if (!head.http.authorization && head.route != nullptr && head.route->is_open &&
      head.route->is_open(head.http)) {
    answer_ = Admitted{.principal = {}};
    return;
  }
  if (!options.admit) {
    answer_ = Admitted{.principal = local_principal()};
    return;
  }
  std::string_view authorization =
      head.http.authorization ? std::string_view(*head.http.authorization) : std::string_view();
  const std::optional<std::string> bearer =
      head.route != nullptr && head.route->takes_basic ? bearer_of_basic(authorization) : std::nullopt;
  if (bearer) authorization = *bearer;
  if (known_ && known_->lease && authorization == authorization_ &&
      known_->lease->is_good(std::chrono::steady_clock::now())) {
    answer_ = *known_;
    return;
  }
  known_.reset();
  authorization_ = authorization;
  pending_ = std::make_shared<Pending>();
  // The callback is not ours: what it throws must cost one request, not the thread.
  try {
    protocol::HttpHead changed;
    if (bearer) {
      changed = head.http;
      changed.authorization = *bearer;
    }
    options.admit({.head = bearer ? changed : head.http, .peer = peer_},
                  [pending = pending_](Admission answer) { pending->deliver(std::move(answer)); });
  } catch (const std::exception& failure) {
    log::error("http_admit_failed", {{"what", failure.what()}});
    pending_->deliver(Refusal{.error = internal_error("The caller could not be checked")});
  }
  // An answer that is there already wakes nobody. One that comes between these two lines is taken next.
  pending_->notify(waker_);
}

std::optional<Admission> CallerCheck::take() {
  if (answer_) return std::exchange(answer_, std::nullopt);
  if (!pending_) return std::nullopt;
  std::optional<Admission> answer = pending_->take();
  if (!answer) return std::nullopt;
  forget();
  if (const Admitted* admitted = std::get_if<Admitted>(&*answer)) known_ = *admitted;
  return answer;
}

void CallerCheck::forget() {
  answer_.reset();
  if (pending_) pending_->forget();
  pending_.reset();
}

}  // namespace sluice::transport
