#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/fs/scan.h"
#include "sluice/fs/watch.h"

namespace sluice::fs {

using Changes = std::map<std::string, ChangeKind, std::less<>>;

// What is known of a tree, and how it differs from what is there.
class WatchedTree {
 public:
  WatchedTree(const Root& root, ScanOptions options);

  enum class Hint : std::uint8_t {
    kTouched,  // An event named it: a file that is still there was modified, whatever its size and time say.
    kNone,
  };
  // Looks at `path` and all beneath it, and adds what differs to `changes`, unless that is null. Fails only
  // where it was stopped.
  Status refresh(std::string_view path, Hint hint, Changes* changes);

  // The known folders at `path` and beneath, itself first.
  std::vector<std::string> folders(std::string_view path) const;

 private:
  struct Fingerprint {
    std::uint64_t bytes = 0;
    WallTime modified;
    FileIdentity identity;
    EntryKind kind = EntryKind::kOther;  // Small ones together: there may be 100,000 of these.
    bool is_link = false;
    friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
  };
  using Known = std::map<std::string, Fingerprint, std::less<>>;

  static Fingerprint fingerprint(const Entry& entry);
  Status refresh_beneath(std::string_view folder, Changes* changes);
  void update(const std::string& path, const Entry& entry, Hint hint, Changes* changes);
  void forget(std::string_view path, Changes* changes);
  void forget_beneath(std::string_view folder, Changes* changes);

  const Root& root_;
  ScanOptions options_;
  Known known_;
  bool warned_ = false;
};

}  // namespace sluice::fs
