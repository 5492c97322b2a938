#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string_view>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/cache/cache.h"

#include "answer.h"

namespace sluice::apis {

// Answers by what was asked and by whom. One that is no longer fresh is kept for a while, so that the API can
// be asked whether it has changed. Any thread.
class AnswerCache {
 public:
  // Asks the API. `old` is what was answered before, or null; null is returned where that still holds.
  using Asking =
      std::function<Result<std::shared_ptr<const Answer>>(const Answer* old, std::stop_token stop)>;

  explicit AnswerCache(const Clock& clock) : clock_(clock), fresh_(clock), old_(clock) {}

  // Callers that ask for the same at the same time get one answer.
  Result<Kept> load(const cache::Key& key, std::chrono::milliseconds ttl, const Asking& ask,
                    std::stop_token stop);

  // What begins with `text`, whoever asked for it, is not fresh any more.
  void forget(std::string_view text) { fresh_.invalidate_prefix(text); }

  cache::Counters counters() const { return fresh_.counters(); }

 private:
  const Clock& clock_;
  cache::Cache<Kept> fresh_;
  cache::Cache<Kept> old_;
};

}  // namespace sluice::apis
