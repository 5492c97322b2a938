#include "answer_cache.h"

#include <algorithm>
#include <utility>

namespace sluice::apis {

namespace {

constexpr std::chrono::hours kOldLifetime{1};
constexpr std::size_t kOverheadBytes = 512;

std::size_t bytes_of(const Answer& answer) {
  return kOverheadBytes + answer.body.size() + answer.etag.size() + answer.next.size();
}

}  // namespace

Result<Kept> AnswerCache::load(const cache::Key& key, std::chrono::milliseconds ttl, const Asking& ask,
                               std::stop_token stop) {
  const auto loader = [&](std::stop_token own_stop) -> Result<cache::Loaded<Kept>> {
    const cache::Cache<Kept>::Handle old = old_.find(key);
    SLUICE_TRY(std::shared_ptr<const Answer> answer,
               ask(old ? old->answer.get() : nullptr, std::move(own_stop)));
    if (!answer) answer = old->answer;
    const Kept kept{.answer = answer, .as_of = clock_.now()};
    const bool can_be_asked_again = !answer->etag.empty() || !answer->last_modified.empty();
    if (answer->is_kept && can_be_asked_again)
      old_.put(key, {.value = kept, .bytes = bytes_of(*answer), .lifetime = kOldLifetime});
    return cache::Loaded<Kept>{.value = kept,
                               .bytes = bytes_of(*answer),
                               .lifetime = answer->is_kept ? ttl : std::chrono::milliseconds(0)};
  };
  SLUICE_TRY(const cache::Cache<Kept>::Handle kept, fresh_.get_or_load(key, loader, std::move(stop)));
  return *kept;
}

}  // namespace sluice::apis
