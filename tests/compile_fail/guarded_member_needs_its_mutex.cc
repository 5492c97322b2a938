#include "sluice/base/mutex.h"

class Counter {
 public:
  int next() {
    const sluice::MutexLock lock(mutex_);
    return ++count_;
  }
#ifdef WRONG
  int count() { return count_; }
#endif

 private:
  sluice::Mutex mutex_;
  int count_ SLUICE_GUARDED_BY(mutex_) = 0;
};

int run() {
  Counter counter;
  return counter.next();
}
