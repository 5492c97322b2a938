#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/ids.h"
#include "sluice/protocol/model/ask.h"

namespace sluice::protocol {

enum class TaskStatus : std::uint8_t { kWorking, kInputRequired, kCompleted, kFailed, kCancelled };

constexpr bool is_terminal(TaskStatus status) { return status >= TaskStatus::kCompleted; }

// A snapshot of work that goes on after its request was answered.
struct TaskState {
  TaskId id;
  TaskStatus status = TaskStatus::kWorking;
  std::string status_message;
  WallTime created;
  WallTime updated;
  std::chrono::milliseconds ttl{0};
  std::chrono::milliseconds poll_interval{0};
  std::vector<Question> questions;  // Outstanding; only when input is required.
  std::string result;               // The `result` of the call as JSON text, when completed.
  std::string error;                // The JSON-RPC error object as JSON text, when failed.
};

}  // namespace sluice::protocol
