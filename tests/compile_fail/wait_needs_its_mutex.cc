#include "sluice/base/mutex.h"

class Door {
 public:
  void pass() {
#ifndef WRONG
    const sluice::MutexLock lock(mutex_);
#endif
    opened_.wait(mutex_, [this]() SLUICE_REQUIRES(mutex_) { return is_open_; });
  }
  void open() {
    const sluice::MutexLock lock(mutex_);
    is_open_ = true;
    opened_.notify_all();
  }

 private:
  sluice::Mutex mutex_;
  sluice::CondVar opened_;
  bool is_open_ SLUICE_GUARDED_BY(mutex_) = false;
};

void run(Door& door) {
  door.open();
  door.pass();
}
