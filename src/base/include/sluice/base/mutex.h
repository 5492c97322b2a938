#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stop_token>
#include <utility>

// The attributes of clang's thread-safety analysis; scripts/thread_safety runs it. Other compilers ignore
// them.
#if defined(__clang__)
#define SLUICE_THREAD_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define SLUICE_THREAD_ATTRIBUTE(attribute)
#endif

// A member that may be used only while its mutex is held. The second form: what the pointer points to.
#define SLUICE_GUARDED_BY(mutex) SLUICE_THREAD_ATTRIBUTE(guarded_by(mutex))
#define SLUICE_PT_GUARDED_BY(mutex) SLUICE_THREAD_ATTRIBUTE(pt_guarded_by(mutex))
// A function that must be called with the mutexes held; with _SHARED, a reader's lock suffices.
#define SLUICE_REQUIRES(...) SLUICE_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define SLUICE_REQUIRES_SHARED(...) SLUICE_THREAD_ATTRIBUTE(requires_shared_capability(__VA_ARGS__))
// A function that must not be called with the mutexes held, usually because it takes them.
#define SLUICE_EXCLUDES(...) SLUICE_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
// A mutex that is taken before others, if both are held.
#define SLUICE_ACQUIRED_BEFORE(...) SLUICE_THREAD_ATTRIBUTE(acquired_before(__VA_ARGS__))
// A function that returns a reference to the mutex.
#define SLUICE_RETURN_CAPABILITY(mutex) SLUICE_THREAD_ATTRIBUTE(lock_returned(mutex))
// A function that the analysis skips. A comment says why.
#define SLUICE_NO_THREAD_SAFETY_ANALYSIS SLUICE_THREAD_ATTRIBUTE(no_thread_safety_analysis)
// For types that are a mutex or hold one from construction to destruction, and their functions.
#define SLUICE_CAPABILITY(name) SLUICE_THREAD_ATTRIBUTE(capability(name))
#define SLUICE_SCOPED_CAPABILITY SLUICE_THREAD_ATTRIBUTE(scoped_lockable)
#define SLUICE_ACQUIRE(...) SLUICE_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define SLUICE_ACQUIRE_SHARED(...) SLUICE_THREAD_ATTRIBUTE(acquire_shared_capability(__VA_ARGS__))
#define SLUICE_TRY_ACQUIRE(...) SLUICE_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
#define SLUICE_RELEASE(...) SLUICE_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define SLUICE_RELEASE_SHARED(...) SLUICE_THREAD_ATTRIBUTE(release_shared_capability(__VA_ARGS__))
#define SLUICE_RELEASE_GENERIC(...) SLUICE_THREAD_ATTRIBUTE(release_generic_capability(__VA_ARGS__))

namespace sluice {

// std::mutex, known to the analysis. Use MutexLock to hold it.
class SLUICE_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() SLUICE_ACQUIRE() { mutex_.lock(); }
  bool try_lock() SLUICE_TRY_ACQUIRE(true) { return mutex_.try_lock(); }
  void unlock() SLUICE_RELEASE() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

// Holds a Mutex to the end of its scope. It can be given up before, and taken again.
class SLUICE_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) SLUICE_ACQUIRE(mutex) : mutex_(mutex) { lock(); }
  ~MutexLock() SLUICE_RELEASE() {
    if (is_held_) mutex_.unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void lock() SLUICE_ACQUIRE() {
    mutex_.lock();
    is_held_ = true;
  }
  void unlock() SLUICE_RELEASE() {
    is_held_ = false;
    mutex_.unlock();
  }

 private:
  Mutex& mutex_;
  bool is_held_ = false;
};

// A mutex that the thread which holds it can take again.
class SLUICE_CAPABILITY("mutex") RecursiveMutex {
 public:
  RecursiveMutex() = default;
  RecursiveMutex(const RecursiveMutex&) = delete;
  RecursiveMutex& operator=(const RecursiveMutex&) = delete;

  void lock() SLUICE_ACQUIRE() { mutex_.lock(); }
  void unlock() SLUICE_RELEASE() { mutex_.unlock(); }

 private:
  std::recursive_mutex mutex_;
};

class SLUICE_SCOPED_CAPABILITY RecursiveMutexLock {
 public:
  explicit RecursiveMutexLock(RecursiveMutex& mutex) SLUICE_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~RecursiveMutexLock() SLUICE_RELEASE() { mutex_.unlock(); }
  RecursiveMutexLock(const RecursiveMutexLock&) = delete;
  RecursiveMutexLock& operator=(const RecursiveMutexLock&) = delete;

 private:
  RecursiveMutex& mutex_;
};

// Holds a Mutex until it is destroyed, wherever it is moved. The analysis cannot follow it, so it is for
// mutexes that guard no member: those that let one thread at a time do something.
class MovableMutexLock {
 public:
  explicit MovableMutexLock(Mutex& mutex) : lock_(mutex) {}
  static std::optional<MovableMutexLock> try_lock(Mutex& mutex) {
    std::unique_lock<Mutex> lock(mutex, std::try_to_lock);
    return lock.owns_lock() ? std::optional(MovableMutexLock(std::move(lock))) : std::nullopt;
  }

 private:
  explicit MovableMutexLock(std::unique_lock<Mutex> lock) : lock_(std::move(lock)) {}

  std::unique_lock<Mutex> lock_;
};

// std::shared_mutex, known to the analysis: one writer, or any number of readers.
class SLUICE_CAPABILITY("mutex") SharedMutex {
 public:
  SharedMutex() = default;
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  void lock() SLUICE_ACQUIRE() { mutex_.lock(); }
  void unlock() SLUICE_RELEASE() { mutex_.unlock(); }
  void lock_shared() SLUICE_ACQUIRE_SHARED() { mutex_.lock_shared(); }
  void unlock_shared() SLUICE_RELEASE_SHARED() { mutex_.unlock_shared(); }

 private:
  std::shared_mutex mutex_;
};

class SLUICE_SCOPED_CAPABILITY WriterLock {
 public:
  explicit WriterLock(SharedMutex& mutex) SLUICE_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~WriterLock() SLUICE_RELEASE() { mutex_.unlock(); }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  SharedMutex& mutex_;
};

class SLUICE_SCOPED_CAPABILITY ReaderLock {
 public:
  explicit ReaderLock(SharedMutex& mutex) SLUICE_ACQUIRE_SHARED(mutex) : mutex_(mutex) {
    mutex_.lock_shared();
  }
  ~ReaderLock() SLUICE_RELEASE_GENERIC() { mutex_.unlock_shared(); }
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;

 private:
  SharedMutex& mutex_;
};

// std::condition_variable_any for a Mutex that the caller holds. While it waits, the mutex is free. A
// predicate runs with the mutex held and says so: `[this]() SLUICE_REQUIRES(mutex_) { return is_done_; }`.
// The waits that take a stop token also end when a stop is requested; they return what the predicate then
// says.
class CondVar {
 public:
  CondVar() = default;
  CondVar(const CondVar&) = delete;
  CondVar& operator=(const CondVar&) = delete;

  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

  // Also returns without a reason.
  void wait(Mutex& mutex) SLUICE_REQUIRES(mutex) { condition_.wait(mutex); }
  template <class Clock, class Duration>
  void wait_until(Mutex& mutex, const std::chrono::time_point<Clock, Duration>& end) SLUICE_REQUIRES(mutex) {
    condition_.wait_until(mutex, end);
  }

  template <class Predicate>
  void wait(Mutex& mutex, Predicate is_ready) SLUICE_REQUIRES(mutex) {
    condition_.wait(mutex, std::move(is_ready));
  }
  template <class Rep, class Period, class Predicate>
  bool wait_for(Mutex& mutex, const std::chrono::duration<Rep, Period>& time, Predicate is_ready)
      SLUICE_REQUIRES(mutex) {
    return condition_.wait_for(mutex, time, std::move(is_ready));
  }
  template <class Clock, class Duration, class Predicate>
  bool wait_until(Mutex& mutex, const std::chrono::time_point<Clock, Duration>& end, Predicate is_ready)
      SLUICE_REQUIRES(mutex) {
    return condition_.wait_until(mutex, end, std::move(is_ready));
  }

  template <class Predicate>
  bool wait(Mutex& mutex, std::stop_token stop, Predicate is_ready) SLUICE_REQUIRES(mutex) {
    return condition_.wait(mutex, std::move(stop), std::move(is_ready));
  }
  template <class Rep, class Period, class Predicate>
  bool wait_for(Mutex& mutex, std::stop_token stop, const std::chrono::duration<Rep, Period>& time,
                Predicate is_ready) SLUICE_REQUIRES(mutex) {
    return condition_.wait_for(mutex, std::move(stop), time, std::move(is_ready));
  }
  template <class Clock, class Duration, class Predicate>
  bool wait_until(Mutex& mutex, std::stop_token stop, const std::chrono::time_point<Clock, Duration>& end,
                  Predicate is_ready) SLUICE_REQUIRES(mutex) {
    return condition_.wait_until(mutex, std::move(stop), end, std::move(is_ready));
  }

 private:
  std::condition_variable_any condition_;
};

}  // namespace sluice
