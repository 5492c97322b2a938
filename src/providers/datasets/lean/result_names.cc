#include "sluice/datasets/result_names.h"

#include <algorithm>
#include <iterator>

#include "sluice/base/text.h"
#include "sluice/crypto/random.h"

namespace sluice::datasets::lean {

namespace {

constexpr std::size_t kNamesOfOwnerMax = 256;
constexpr std::size_t kNamesMax = 65'536;  // About 10 MB.
constexpr std::size_t kOwnersMax = 10'000;
constexpr std::uint32_t kRandomFirst = 100'000;  // Six digits are two tokens.
constexpr std::uint32_t kRandomCount = 900'000;

bool has_session(const ResultNames::Owner& owner) {
  const catalog::SessionToken none;
  return owner.session.owner_before(none) || none.owner_before(owner.session);
}

std::uint32_t random_number() {
  std::uint32_t out = 0;
  for (const char byte : crypto::random_bytes(sizeof(out)))
    out = (out << 8U) | static_cast<unsigned char>(byte);
  return out;
}

}  // namespace

bool ResultNames::Before::operator()(const Owner& a, const Owner& b) const {
  if (a.principal != b.principal) return a.principal < b.principal;
  if (a.policy != b.policy) return a.policy < b.policy;
  return a.session.owner_before(b.session);
}

void ResultNames::remove(NamesList::iterator names) {
  count_ -= names->kept.size();
  by_owner_.erase(names->owner);
  all_.erase(names);
}

ResultNames::NamesList::iterator ResultNames::names_of(const Owner& owner) {
  if (const auto found = by_owner_.find(owner); found != by_owner_.end()) {
    all_.splice(all_.end(), all_, found->second);
    return found->second;
  }
  for (auto one = all_.begin(); one != all_.end();) {
    const auto next = std::next(one);
    if (has_session(one->owner) && one->owner.session.expired()) remove(one);
    one = next;
  }
  if (all_.size() == kOwnersMax) remove(all_.begin());
  all_.push_back({.owner = owner, .last = 0, .kept = {}});
  const auto names = std::prev(all_.end());
  by_owner_.emplace(owner, names);
  return names;
}

std::string ResultNames::next_automatic(Names& names) {
  if (has_session(names.owner)) return "r" + std::to_string(++names.last);
  // The owner has few names among many possible ones: this ends soon.
  while (true) {
    std::string name = "r" + std::to_string(kRandomFirst + random_number() % kRandomCount);
    const bool is_used =
        std::any_of(names.kept.begin(), names.kept.end(), [&](const Named& one) { return one.name == name; });
    if (!is_used) return name;
  }
}

void ResultNames::put(NamesList::iterator names, std::string_view name, const std::string& handle) {
  const std::string lower = to_lower_ascii(name);
  count_ -= std::erase_if(names->kept, [&](const Named& one) { return one.name == lower; });
  names->kept.push_back({.name = lower, .handle = handle});
  ++count_;
  if (names->kept.size() > kNamesOfOwnerMax) {
    names->kept.pop_front();
    --count_;
  }
  // `names` is the last of all, and has fewer.
  while (count_ > kNamesMax) remove(all_.begin());
}

std::optional<std::string> ResultNames::find(const Owner& owner, std::string_view name) {
  const MutexLock lock(mutex_);
  const auto found = by_owner_.find(owner);
  if (found == by_owner_.end()) return std::nullopt;
  all_.splice(all_.end(), all_, found->second);
  const std::string lower = to_lower_ascii(name);
  for (const Named& one : found->second->kept) {
    if (one.name == lower) return one.handle;
  }
  return std::nullopt;
}

bool ResultNames::has_any(const Owner& owner) const {
  const MutexLock lock(mutex_);
  return by_owner_.contains(owner);
}

bool ResultNames::is_automatic(std::string_view name) {
  return name.size() > 1 && (name.front() == 'r' || name.front() == 'R') &&
         std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::size_t ResultNames::size() const {
  const MutexLock lock(mutex_);
  return count_;
}

}  // namespace sluice::datasets::lean
