#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sluice::fs {

// Where a durable write can be interrupted. A point stands before the step it is named after.
enum class FaultPoint : std::uint8_t {
  kReplaceCreate,      // Before the temporary file is made.
  kReplaceWrite,       // Before its first byte.
  kReplaceHalfWrite,   // After half of its bytes.
  kReplaceSyncFile,    // Before they are synced.
  kReplaceRename,      // Before it takes the place of the old file.
  kReplaceSyncFolder,  // After that, before the folder is synced: readers already see the new file.
  kAppendWrite,
  kAppendHalfWrite,
  kAppendSyncFile,
  kAppendSyncFolder,  // Only where the file is new.
  kMakeFolder,
  kSnapshot,  // Before a file gets its second name.
  kSync,
  kMove,
  kMoveSyncFolder,  // After the move, before the folder is synced.
  kCut,
  kRemove,
};

// Those of replace_file and append_durable.
inline constexpr std::array kContentFaultPoints = {
    FaultPoint::kReplaceCreate,   FaultPoint::kReplaceWrite,    FaultPoint::kReplaceHalfWrite,
    FaultPoint::kReplaceSyncFile, FaultPoint::kReplaceRename,   FaultPoint::kReplaceSyncFolder,
    FaultPoint::kAppendWrite,     FaultPoint::kAppendHalfWrite, FaultPoint::kAppendSyncFile,
    FaultPoint::kAppendSyncFolder};

std::string_view to_string(FaultPoint point);

// Tests only: while one of these lives, reaching a step fails with an errno, or kills the process as a power
// cut would. One at a time.
class FaultInjection {
 public:
  static FaultInjection failing(FaultPoint point, int error_number);
  static FaultInjection killing(FaultPoint point);
  // The step that is reached after `skip` others, whichever it is. That step alone fails.
  static FaultInjection failing_step(unsigned skip, int error_number);
  static FaultInjection killing_step(unsigned skip);
  ~FaultInjection();
  FaultInjection(const FaultInjection&) = delete;
  FaultInjection& operator=(const FaultInjection&) = delete;

  bool has_fired() const;

 private:
  FaultInjection() = default;
};

// 0, or the errno that the step must fail with instead of being done.
int injected_error(FaultPoint point);

}  // namespace sluice::fs
