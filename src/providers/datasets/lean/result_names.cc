#include "lean/result_names.h"

#include <algorithm>

#include "sluice/base/text.h"

namespace sluice::datasets::lean {

namespace {

constexpr std::size_t kNamesMax = 256;
constexpr std::size_t kOwnersMax = 10'000;

}  // namespace

ResultNames::Names& ResultNames::names_of(const Principal& owner) {
  const auto found = by_owner_.find(owner);
  if (found != by_owner_.end()) return found->second;
  if (owners_.size() == kOwnersMax) {
    by_owner_.erase(owners_.front());
    owners_.pop_front();
  }
  owners_.push_back(owner);
  return by_owner_[owner];
}

void ResultNames::put(Names& names, std::string_view name, const std::string& handle) {
  const std::string lower = to_lower_ascii(name);
  std::erase_if(names.kept, [&](const Named& one) { return one.name == lower; });
  names.kept.push_back({.name = lower, .handle = handle});
  if (names.kept.size() > kNamesMax) names.kept.pop_front();
}

std::optional<std::string> ResultNames::find(const Principal& owner, std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_owner_.find(owner);
  if (found == by_owner_.end()) return std::nullopt;
  const std::string lower = to_lower_ascii(name);
  for (const Named& one : found->second.kept) {
    if (one.name == lower) return one.handle;
  }
  return std::nullopt;
}

bool ResultNames::is_automatic(std::string_view name) {
  return name.size() > 1 && (name.front() == 'r' || name.front() == 'R') &&
         std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace sluice::datasets::lean
