#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/json/value.h"
#include "sluice/records/mutation.h"
#include "sluice/records/store.h"

#include "temp_folder.h"

namespace sluice::records::testing {

json::Object object(std::string_view text);  // Of JSON.

// A folder of records that lives as long as the test.
class RecordFolder {
 public:
  // Without folding by itself: tests fold when they mean to.
  std::unique_ptr<Store> open(bool writable = true) const;
  // A data type with the rows of a SELECT.
  void make(std::string_view data_type, const std::string& select) const;
  void make_tasks() const;  // Three tasks: task_id a, b, c; title, priority 1 to 3, due a date.

  const fs::TempFolder& folder() const { return folder_; }

 private:
  fs::TempFolder folder_;
};

std::shared_ptr<DataType> type_of(Store& store, std::string_view name = "tasks");
// All records as a JSON array, in order, nulls left out.
std::string records_of(Store& store, std::string_view name = "tasks");
std::string rows_of(const View& view);

Result<Mutated> add(Store& store, std::string_view record, std::string_view name = "tasks");
Result<Mutated> update(Store& store, std::string_view filters, std::string_view updates,
                       std::string_view name = "tasks");
Result<Mutated> remove(Store& store, std::string_view filters, std::string_view name = "tasks");
Result<Mutated> undo(Store& store, const std::string& id, bool force = false);
std::string code_of(const Result<Mutated>& result);  // "" where it succeeded.

}  // namespace sluice::records::testing
