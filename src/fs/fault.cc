#include "sluice/fs/fault.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

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
    case FaultPoint::kMakeFolder:
      return "make_folder";
    case FaultPoint::kSnapshot:
      return "snapshot";
    case FaultPoint::kSync:
      return "sync";
    case FaultPoint::kMove:
      return "move";
    case FaultPoint::kMoveSyncFolder:
      return "move_sync_folder";
    case FaultPoint::kCut:
      return "cut";
    case FaultPoint::kRemove:
      return "remove";
  }
  return "unknown";
}

namespace {

constexpr int kKill = 0xfffe;    // Instead of an errno.
constexpr int kAnyPoint = 0xff;  // Instead of a point: the steps are counted.

// The armed point and its errno in one word, so that a thread sees both or neither: point × 2^16 + errno + 1.
std::atomic<int> g_armed{0};
std::atomic<int> g_steps_left{0};
std::atomic<bool> g_fired{false};

void arm(int point, int error_number, unsigned skip = 0) {
  g_steps_left.store(static_cast<int>(skip));
  g_fired.store(false);
  g_armed.store((point << 16) | (error_number + 1));
}

}  // namespace

FaultInjection::~FaultInjection() { g_armed.store(0); }
bool FaultInjection::has_fired() const { return g_fired.load(); }

FaultInjection FaultInjection::failing(FaultPoint point, int error_number) {
  arm(static_cast<int>(point), error_number);
  return {};
}
FaultInjection FaultInjection::killing(FaultPoint point) { return failing(point, kKill); }
FaultInjection FaultInjection::failing_step(unsigned skip, int error_number) {
  arm(kAnyPoint, error_number, skip);
  return {};
}
FaultInjection FaultInjection::killing_step(unsigned skip) { return failing_step(skip, kKill); }

int injected_error(FaultPoint point) {
  const int armed = g_armed.load();
  if (armed == 0) return 0;
  const int wanted = armed >> 16;
  if (wanted == kAnyPoint ? g_steps_left.fetch_sub(1) != 0 : wanted != static_cast<int>(point)) return 0;
  g_fired.store(true);
  const int error_number = (armed & 0xffff) - 1;
  if (error_number != kKill) return error_number;
  ::kill(::getpid(), SIGKILL);
  return 0;
}

}  // namespace sluice::fs
