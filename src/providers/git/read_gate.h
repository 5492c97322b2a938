#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"

#include "handles.h"

namespace sluice::git {

// What no object that is read is larger than: a tree of a million entries is smaller.
inline constexpr std::size_t kObjectBytesMax = std::size_t{64} * 1024 * 1024;

// What every object passes on its way from the disk: it is read only where it is not too large and there is
// time. So whatever libgit2 does with objects ends soon after the caller is gone.
class ReadGate {
 public:
  ReadGate(std::stop_token stop, Monotonic deadline) : stop_(std::move(stop)), deadline_(deadline) {}

  bool has_time();  // False from the first time that there is none.
  void refuse_large() { closed_by_ = Reason::kTooLarge; }
  // For a caller that can do without the object that was too large.
  void forgive_large() {
    if (closed_by_ == Reason::kTooLarge) closed_by_ = Reason::kNone;
  }

  // Why a read failed, where the gate is the reason.
  Status status() const;

 private:
  enum class Reason : std::uint8_t { kNone, kStopped, kLate, kTooLarge };

  std::stop_token stop_;
  Monotonic deadline_;
  Reason closed_by_ = Reason::kNone;
};

// The objects of one folder, loose and packed, behind the gate, which must outlive it. Alternates are not
// followed. A code of libgit2.
int open_objects(const std::string& objects_folder, ReadGate& gate, OdbHandle& out);

}  // namespace sluice::git
