#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "sluice/base/background_thread.h"
#include "sluice/base/mutex.h"
#include "sluice/datasets/defined_tool.h"

#include "dataset_tools.h"

namespace sluice::datasets::lean {

// The values of columns that have few of them, for parameters that take no others. A thread of its own finds
// them and follows the registry. Any thread.
class ParameterValues {
 public:
  // Of the parameters, those that name a column. `dataset_tools` must outlive it.
  ParameterValues(const DatasetTools& dataset_tools, const std::vector<DefinedTool>& tools);
  ParameterValues(const ParameterValues&) = delete;
  ParameterValues& operator=(const ParameterValues&) = delete;
  ~ParameterValues();

  // Begins to look, once. `on_change` is called on the thread of this whenever values have changed.
  void start(std::function<void()> on_change);
  // Waits until all columns have been looked at for the first time, for at most `bound`.
  void wait(std::chrono::milliseconds bound) const;
  // The values that a parameter takes. Empty: any, as there are too many values or none is known.
  json::Array of(const ToolParameter& parameter) const;

 private:
  // What is known of the column of a parameter.
  struct Column {
    std::string version;  // Of the data that `values` were found in; empty: look again.
    json::Array values;
  };

  void run(const std::stop_token& stop);
  Result<json::Array> find(const ToolParameter& parameter, const std::stop_token& stop) const;
  std::string known_version(std::size_t column) const;
  bool look(const std::stop_token& stop);  // Returns whether values have changed.

  const DatasetTools& dataset_tools_;
  std::vector<ToolParameter> parameters_;  // Those that name a column. Set by the constructor.
  std::function<void()> on_change_;        // Set before the thread starts.
  mutable Mutex mutex_;
  mutable CondVar changed_;
  std::vector<Column> columns_ SLUICE_GUARDED_BY(mutex_);  // One for each of parameters_.
  std::uint64_t change_ SLUICE_GUARDED_BY(mutex_) = 1;     // Grows whenever the registry changes.
  std::uint64_t looked_at_ SLUICE_GUARDED_BY(mutex_) =
      0;  // The change that the values are about; 0: nothing yet.
  std::uint64_t listening_ = 0;
  BackgroundThread thread_;  // Last: it ends before the rest is destroyed.
};

}  // namespace sluice::datasets::lean
