#include "sluice/base/ids.h"

sluice::SessionId session{"s"};
#ifdef WRONG
sluice::TaskId task{session};
#else
sluice::TaskId task{session.text()};
#endif
