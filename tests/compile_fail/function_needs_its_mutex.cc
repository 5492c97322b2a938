#include "sluice/base/mutex.h"

class Counter {
 public:
  int next() {
#ifndef WRONG
    const sluice::MutexLock lock(mutex_);
#endif
    return next_of_holder();
  }

 private:
  int next_of_holder() SLUICE_REQUIRES(mutex_) { return ++count_; }

  sluice::Mutex mutex_;
  int count_ SLUICE_GUARDED_BY(mutex_) = 0;
};

int run() {
  Counter counter;
  return counter.next();
}
