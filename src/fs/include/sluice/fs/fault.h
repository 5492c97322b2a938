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
};

inline constexpr std::array kFaultPoints = {FaultPoint::kReplaceCreate,    FaultPoint::kReplaceWrite,
                                            FaultPoint::kReplaceHalfWrite, FaultPoint::kReplaceSyncFile,
                                            FaultPoint::kReplaceRename,    FaultPoint::kReplaceSyncFolder,
                                            FaultPoint::kAppendWrite,      FaultPoint::kAppendHalfWrite,
                                            FaultPoint::kAppendSyncFile,   FaultPoint::kAppendSyncFolder};

std::string_view to_string(FaultPoint point);

#if SLUICE_FAULTS

// Tests only: while one of these lives, reaching the point fails with an errno, or kills the process as a
// power cut would. One at a time.
class FaultInjection {
 public:
  static FaultInjection failing(FaultPoint point, int error_number);
  static FaultInjection killing(FaultPoint point);
  ~FaultInjection();
  FaultInjection(const FaultInjection&) = delete;
  FaultInjection& operator=(const FaultInjection&) = delete;

 private:
  explicit FaultInjection(int armed);
};

// 0, or the errno that the step must fail with instead of being done.
int injected_error(FaultPoint point);

#else

constexpr int injected_error(FaultPoint) { return 0; }

#endif

}  // namespace sluice::fs
