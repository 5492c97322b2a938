#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sluice/base/error.h"
#include "sluice/base/mutex.h"
#include "sluice/engine/database.h"

namespace sluice::engine {

// Which types columns turned out to need, against what was first seen in them. Any thread.
class TypeMemory {
 public:
  // Nothing where `table` has no name: then the rows are not those of one table.
  void remember(const TableName& table, const std::string& column, Type type);
  std::optional<Type> find(const TableName& table, const std::string& column) const;

 private:
  mutable Mutex mutex_;
  std::map<std::pair<TableName, std::string>, Type> types_ SLUICE_GUARDED_BY(mutex_);
};

// A value of the column does not fit the type that it is to be decoded into.
Error column_type_changed(std::string_view column);

}  // namespace sluice::engine
