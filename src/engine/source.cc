#include "sluice/engine/source.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace sluice::engine {

bool is_readable(const Type& type) {
  switch (type.id) {
    case TypeId::kEnum:
    case TypeId::kUnion:
    case TypeId::kBit:
    case TypeId::kBignum:
    case TypeId::kOther:
      return false;
    default:
      return std::all_of(type.fields.begin(), type.fields.end(),
                         [](const Field& field) { return is_readable(field.type); });
  }
}

Sources::Offer Sources::offer(std::shared_ptr<Source> source) {
  auto entry = std::make_shared<Entry>(std::move(source));
  const MutexLock lock(mutex_);
  std::erase_if(entries_, [](const auto& known) { return known.second.expired(); });
  entries_.emplace(++last_, entry);
  return {.sql = fmt::format("outside({})", last_), .lease = std::move(entry)};
}

std::shared_ptr<Sources::Entry> Sources::find(std::uint64_t number) const {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(number);
  return found == entries_.end() ? nullptr : found->second.lock();
}

}  // namespace sluice::engine
