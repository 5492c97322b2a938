#include "sluice/query/dataset.h"

#include "sluice/base/mutex.h"
#include "sluice/base/uri.h"
#include "sluice/base/uri_path.h"

namespace sluice::query {

Dataset::~Dataset() { delete count_error_.load(std::memory_order_acquire); }

Result<std::optional<Relation>> Dataset::open_few(const Table& /*table*/, const FewRows& /*few*/,
                                                  const engine::RunLimits& /*limits*/) const {
  return std::optional<Relation>();
}

std::string Dataset::path_beside(std::string_view) const { return {}; }

std::string Dataset::uri(std::string_view part) const {
  std::string out = collection().scheme + "://";
  if (identity_.dimensions.empty()) out += percent_encode_path(name()) + "/";
  for (std::size_t i = 0; i < identity_.dimensions.size(); ++i) {
    const bool is_usual = i < collection().dimensions.size() && !collection().dimensions[i].usual.empty();
    if (!is_usual) out += percent_encode(identity_.dimensions[i]) + "/";
  }
  return out + std::string(part);
}

namespace {

// The number and its state are stored one after the other, and several threads count. One lock for all
// datasets: there may be 100,000 of them, and each is counted once or twice.
Mutex& count_mutex() {
  static Mutex mutex;
  return mutex;
}

}  // namespace

void Dataset::set_row_estimate(std::uint64_t rows) const {
  const MutexLock lock(count_mutex());
  if (count_state_.load(std::memory_order_acquire) != CountState::kPending) return;
  row_count_.store(rows, std::memory_order_release);
  count_state_.store(CountState::kEstimated, std::memory_order_release);
}

void Dataset::set_row_count(std::uint64_t rows) const {
  const MutexLock lock(count_mutex());
  row_count_.store(rows, std::memory_order_release);
  count_state_.store(CountState::kExact, std::memory_order_release);
}

void Dataset::set_row_guess(std::optional<std::uint64_t> rows) const {
  row_count_.store(rows.value_or(0), std::memory_order_release);
  count_state_.store(rows ? CountState::kGuessed : CountState::kUnknown, std::memory_order_release);
}

Result<engine::PlanGuess> Dataset::guess(const Table& /*table*/, const expression::Question& /*question*/,
                                         const engine::RunLimits& /*limits*/) const {
  return unsupported("guess the rows: the source has no planner");
}

Result<engine::PlanGuess> Dataset::guess_together(const std::vector<NamedTable>& /*tables*/,
                                                  const expression::Question& /*question*/,
                                                  const engine::RunLimits& /*limits*/) const {
  return unsupported("guess the rows: the source has no planner");
}

void Dataset::set_count_failed(std::string_view reason) const {
  auto made = std::make_unique<const std::string>(reason);
  const std::string* none = nullptr;
  if (count_error_.compare_exchange_strong(none, made.get(), std::memory_order_acq_rel)) [[maybe_unused]]
    const std::string* owned = made.release();  // By count_error_ from here on.
  count_state_.store(CountState::kFailed, std::memory_order_release);
}

std::string_view Dataset::count_error() const {
  const std::string* error = count_error_.load(std::memory_order_acquire);
  return error == nullptr || count_state() != CountState::kFailed ? std::string_view() : *error;
}

}  // namespace sluice::query
