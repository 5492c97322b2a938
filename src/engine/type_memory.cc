#include "sluice/engine/type_memory.h"

#include "sluice/base/text.h"

namespace sluice::engine {

namespace {

constexpr std::size_t kRememberedMax = 10'000;

}  // namespace

void TypeMemory::remember(const TableName& table, const std::string& column, Type type) {
  if (table.name.empty()) return;
  const MutexLock lock(mutex_);
  // Forgetting costs no more than that columns are learned again.
  if (types_.size() >= kRememberedMax) types_.clear();
  types_.insert_or_assign({table, column}, std::move(type));
}

std::optional<Type> TypeMemory::find(const TableName& table, const std::string& column) const {
  const MutexLock lock(mutex_);
  const auto found = types_.find({table, column});
  if (found == types_.end()) return std::nullopt;
  return found->second;
}

Error column_type_changed(std::string_view column) {
  return conflict("read rows: a value does not fit the type of its column: " + excerpt(column))
      .with_code("column_type_changed")
      .with_hint("Ask again: the column is read with a wider type from now on.");
}

}  // namespace sluice::engine
