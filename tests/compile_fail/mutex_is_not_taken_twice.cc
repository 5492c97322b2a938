#include "sluice/base/mutex.h"

class Counter {
 public:
  int next() {
    const sluice::MutexLock lock(mutex_);
    return ++count_;
  }
  int next_twice() {
#ifdef WRONG
    const sluice::MutexLock lock(mutex_);
#endif
    const sluice::MutexLock another(mutex_);
    return count_ += 2;
  }

 private:
  sluice::Mutex mutex_;
  int count_ SLUICE_GUARDED_BY(mutex_) = 0;
};

int run() {
  Counter counter;
  return counter.next() + counter.next_twice();
}
