#include "sluice/guard/key_source.h"

#include <algorithm>
#include <utility>

#include "sluice/base/log.h"

namespace sluice::guard {
namespace {

constexpr std::chrono::seconds kUnknownKeyPause{30};
constexpr std::chrono::hours kOldKeysMax{24};
constexpr std::chrono::milliseconds kRetryFirst{1'000};
constexpr std::chrono::milliseconds kRetryMax{30'000};
constexpr std::size_t kKeyWaitersMax = 1'024;
constexpr std::chrono::milliseconds kLook{1'000};  // How late a load is at most.

}  // namespace

KeySource::KeySource(std::string name, std::unique_ptr<IssuerClient> client, const Clock& clock)
    : name_(std::move(name)),
      client_(std::move(client)),
      clock_(clock),
      loaded_at_(clock.now()),
      due_(clock.now()) {}

KeySource::Loaded KeySource::loaded() const {
  const MutexLock lock(mutex_);
  return loaded_;
}

void KeySource::want_newer(Done done) {
  std::optional<Outcome> known;
  {
    const MutexLock lock(mutex_);
    const Monotonic now = clock_.now();
    const bool is_loading = due_ <= now || !waiting_.empty() || !last_;
    const bool may_load = !wanted_at_ || now - *wanted_at_ >= kUnknownKeyPause;
    if (waiting_.size() >= kKeyWaitersMax) {
      known = Outcome::kFailed;
    } else if (!is_loading && (!may_load || loaded_.keys == nullptr)) {
      known = *last_;
    } else {
      if (!is_loading) {
        wanted_at_ = now;
        due_ = now;
      }
      waiting_.push_back(std::move(done));
    }
  }
  if (known) return done(*known);
  wanted_.notify_all();
}

void KeySource::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      const MutexLock lock(mutex_);
      wanted_.wait_for(mutex_, stop, kLook,
                       [this]() SLUICE_REQUIRES(mutex_) { return due_ <= clock_.now(); });
      if (stop.stop_requested()) break;
      if (due_ > clock_.now()) continue;
    }
    Result<IssuerKeys> result = client_->load(stop);
    if (stop.stop_requested()) break;
    finish(std::move(result));
  }
  std::vector<Done> waiting;
  {
    const MutexLock lock(mutex_);
    waiting.swap(waiting_);
    last_ = Outcome::kFailed;
    due_ = Monotonic::max();
    wanted_at_ = Monotonic::max();  // Nothing is loaded any more.
  }
  for (const Done& done : waiting) done(Outcome::kFailed);
}

void KeySource::finish(Result<IssuerKeys> result) {
  std::vector<Done> waiting;
  const Outcome outcome = result.ok() ? Outcome::kLoaded : Outcome::kFailed;
  if (!result.ok()) {
    log::warning("auth.keys_failed", {{"issuer", name_}, {"reason", result.error().message}});
  }
  {
    const MutexLock lock(mutex_);
    schedule(result);
    if (result.ok()) {
      const bool is_first = loaded_.keys == nullptr;
      if (!is_first) result->keys.replace(*loaded_.keys);
      if (is_first) log::info("auth.keys_loaded", {{"issuer", name_}, {"keys", result->keys.size()}});
      loaded_ = {.keys = std::make_shared<const KeySet>(std::move(result->keys)),
                 .introspection_endpoint = std::move(result->introspection_endpoint)};
      loaded_at_ = clock_.now();
    } else if (loaded_.keys != nullptr && clock_.now() - loaded_at_ > kOldKeysMax) {
      log::error("auth.keys_too_old", {{"issuer", name_}});
      loaded_.keys->retire();
      loaded_.keys = nullptr;
    }
    last_ = outcome;
    waiting.swap(waiting_);
  }
  for (const Done& done : waiting) done(outcome);
}

void KeySource::schedule(const Result<IssuerKeys>& result) {
  if (result.ok()) {
    retry_delay_ = std::chrono::milliseconds(0);
    due_ = clock_.now() + result->max_age;
    return;
  }
  retry_delay_ = retry_delay_.count() == 0 ? kRetryFirst : std::min(2 * retry_delay_, kRetryMax);
  due_ = clock_.now() + retry_delay_;
}

}  // namespace sluice::guard
