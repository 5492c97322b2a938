#include "sluice/query/snapshot.h"

namespace sluice::query {

std::size_t PageStarts::known() const {
  const MutexLock lock(mutex_);
  return starts_.size();
}

std::optional<std::uint64_t> PageStarts::start(std::uint64_t page) const {
  const MutexLock lock(mutex_);
  if (page >= starts_.size()) return std::nullopt;
  return starts_[page];
}

void PageStarts::add(std::uint64_t page, std::uint64_t start) {
  const MutexLock lock(mutex_);
  if (page == starts_.size()) starts_.push_back(start);
}

std::optional<std::string> MadeFiles::find(std::string_view ending) const {
  const MutexLock lock(mutex_);
  const auto found = names_.find(ending);
  return found == names_.end() ? std::nullopt : std::optional(found->second);
}

bool MadeFiles::add(std::string_view ending, const std::string& name) {
  const MutexLock lock(mutex_);
  return names_.try_emplace(std::string(ending), name).second;
}

std::vector<std::string> MadeFiles::names() const {
  const MutexLock lock(mutex_);
  std::vector<std::string> out;
  for (const auto& [ending, name] : names_) out.push_back(name);
  return out;
}

}  // namespace sluice::query
