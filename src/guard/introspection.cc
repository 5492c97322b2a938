#include "sluice/guard/introspection.h"

#include <utility>

#include "sluice/base/log.h"
#include "sluice/json/reader.h"

namespace sluice::guard {
namespace {

constexpr std::size_t kQuestionsWaitingMax = 1'024;
constexpr std::size_t kNotGoodMax = 10'000;
constexpr std::chrono::seconds kNotGoodCache{10};

}  // namespace

Introspection::Introspection(IssuerSpec spec, std::shared_ptr<KeySource> keys, const Clock& clock)
    : spec_(std::move(spec)), keys_(std::move(keys)), clock_(clock) {}

void Introspection::ask(Question question, Done done) {
  std::optional<IntrospectionVerdict> known;
  {
    const MutexLock lock(mutex_);
    forget_old();
    if (const auto same = waiting_.find(question.digest); same != waiting_.end()) {
      if (same->second.done.size() < kQuestionsWaitingMax) {
        same->second.done.push_back(std::move(done));
        return;
      }
      known = IssuerDown{};
    } else if (const auto fault = not_good_.find(question.digest); fault != not_good_.end()) {
      known = fault->second.fault;
    } else if (waiting_.size() >= kQuestionsWaitingMax) {
      known = IssuerDown{};
    } else {
      queue_.push_back(question.digest);
      const std::string digest = question.digest;
      Waiting& entry = waiting_[digest];
      entry.question = std::move(question);
      entry.since = clock_.now();
      entry.done.push_back(std::move(done));
    }
  }
  if (known) return done(*known);
  asked_.notify_one();
}

void Introspection::run(const std::stop_token& stop) {
  while (true) {
    Question question;
    Monotonic since;
    {
      const MutexLock lock(mutex_);
      asked_.wait(mutex_, stop, [this]() SLUICE_REQUIRES(mutex_) { return !queue_.empty(); });
      if (queue_.empty()) return;  // A stop is requested.
      const auto next = waiting_.find(queue_.front());
      queue_.pop_front();
      if (next == waiting_.end()) continue;
      question = next->second.question;
      since = next->second.since;
    }
    // Whoever has waited for as long as a question may take does not wait for another one.
    const bool is_late = stop.stop_requested() || clock_.now() - since > kIssuerTimeout;
    finish(question.digest, is_late ? IntrospectionVerdict(IssuerDown{}) : judge(question, stop));
  }
}

IntrospectionVerdict Introspection::judge(const Question& question, const std::stop_token& stop) {
  const Result<std::string> text =
      keys_->client().introspect(question.token, keys_->loaded().introspection_endpoint, stop);
  if (!text.ok()) {
    log::warning("auth.introspection_failed", {{"issuer", spec_.name}, {"reason", text.error().message}});
    return IssuerDown{};
  }
  const Result<json::Value> claims = json::read(*text, {.bytes_max = kKeySetBytesMax});
  const json::Value* active = claims.ok() ? claims->find("active") : nullptr;
  if (active == nullptr || active->if_bool() == nullptr) {
    log::warning("auth.introspection_failed",
                 {{"issuer", spec_.name}, {"reason", "the answer has no `active`"}});
    return IssuerDown{};
  }
  if (!*active->if_bool()) return TokenFault::kExpired;  // Or revoked; the issuer does not say which.
  const json::Value* issuer = claims->find("iss");
  if (issuer != nullptr && (issuer->if_string() == nullptr || *issuer->if_string() != spec_.issuer))
    return TokenFault::kIssuer;
  std::variant<VerifiedCaller, TokenFault> caller =
      read_claims(*claims, {.issuer = spec_, .now = clock_.wall(), .clock_skew = question.clock_skew});
  if (const TokenFault* fault = std::get_if<TokenFault>(&caller)) return *fault;
  return std::get<VerifiedCaller>(std::move(caller));
}

void Introspection::finish(const std::string& digest, const IntrospectionVerdict& verdict) {
  std::vector<Done> done;
  {
    const MutexLock lock(mutex_);
    const auto entry = waiting_.find(digest);
    if (entry == waiting_.end()) return;
    done = std::move(entry->second.done);
    waiting_.erase(entry);
    if (std::holds_alternative<TokenFault>(verdict)) {
      not_good_[digest] = {.fault = std::get<TokenFault>(verdict), .until = clock_.now() + kNotGoodCache};
      not_good_order_.push_back(digest);
      forget_old();
    }
  }
  for (const Done& each : done) each(verdict);
}

void Introspection::forget_old() {
  const Monotonic now = clock_.now();
  while (!not_good_order_.empty()) {
    const auto oldest = not_good_.find(not_good_order_.front());
    const bool is_over = oldest == not_good_.end() || oldest->second.until <= now;
    if (!is_over && not_good_order_.size() <= kNotGoodMax) return;
    if (oldest != not_good_.end()) not_good_.erase(oldest);
    not_good_order_.pop_front();
  }
}

}  // namespace sluice::guard
