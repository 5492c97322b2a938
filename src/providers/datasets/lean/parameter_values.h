#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

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
  struct Column {
    ToolParameter parameter;
    std::string version;  // Of the data that `values` were found in; empty: look again.
    json::Array values;
  };

  void run(const std::stop_token& stop);
  Result<json::Array> find(const ToolParameter& parameter, const std::stop_token& stop) const;
  bool look(const std::stop_token& stop);  // Returns whether values have changed.

  const DatasetTools& dataset_tools_;
  std::function<void()> on_change_;  // Set before the thread starts.
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::vector<Column> columns_;  // Guarded, as is the rest.
  std::uint64_t change_ = 1;     // Grows whenever the registry changes.
  std::uint64_t looked_at_ = 0;  // The change that the values are about; 0: nothing yet.
  std::uint64_t listening_ = 0;
  std::jthread thread_;  // Last: it ends before the rest is destroyed.
};

}  // namespace sluice::datasets::lean
