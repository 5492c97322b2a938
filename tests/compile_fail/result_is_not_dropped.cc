#include "sluice/base/result.h"

sluice::Status save();
sluice::Result<int> count();

bool run() {
#ifdef WRONG
  save();
  count();
#endif
  return save().ok() && count().ok();
}
