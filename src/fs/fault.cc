#include "sluice/fs/fault.h"

#if SLUICE_FAULTS
#include <signal.h>
#include <unistd.h>

#include <atomic>
#endif

namespace sluice::fs {

std::string_view to_string(FaultPoint point) {
  switch (point) {
    case FaultPoint::kReplaceCreate:
      return "replace_create";
    case FaultPoint::kReplaceWrite:
      return "replace_write";
    case FaultPoint::kReplaceHalfWrite:
      return "replace_half_write";
    case FaultPoint::kReplaceSyncFile:
      return "replace_sync_file";
    case FaultPoint::kReplaceRename:
      return "replace_rename";
    case FaultPoint::kReplaceSyncFolder:
      return "replace_sync_folder";
    case FaultPoint::kAppendWrite:
      return "append_write";
    case FaultPoint::kAppendHalfWrite:
      return "append_half_write";
    case FaultPoint::kAppendSyncFile:
      return "append_sync_file";
    case FaultPoint::kAppendSyncFolder:
      return "append_sync_folder";
  }
  return "unknown";
}

#if SLUICE_FAULTS

namespace {

// The armed point and its errno in one word, so that a thread sees both or neither: point × 2^16 + errno + 1.
// An errno of kKill stands for the signal.
constexpr int kKill = 0xfffe;
constexpr int pack(FaultPoint point, int error_number) {
  return (static_cast<int>(point) << 16) | (error_number + 1);
}
std::atomic<int> g_armed{0};

}  // namespace

FaultInjection::FaultInjection(int armed) { g_armed.store(armed); }
FaultInjection::~FaultInjection() { g_armed.store(0); }
FaultInjection FaultInjection::failing(FaultPoint point, int error_number) {
  return FaultInjection(pack(point, error_number));
}
FaultInjection FaultInjection::killing(FaultPoint point) { return FaultInjection(pack(point, kKill)); }

int injected_error(FaultPoint point) {
  const int armed = g_armed.load();
  if (armed == 0 || armed >> 16 != static_cast<int>(point)) return 0;
  const int error_number = (armed & 0xffff) - 1;
  if (error_number != kKill) return error_number;
  ::kill(::getpid(), SIGKILL);
  return 0;
}

#endif

}  // namespace sluice::fs
