#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/caller.h"
#include "sluice/base/mutex.h"
#include "sluice/catalog/context.h"

namespace sluice::datasets::lean {

// The names by which callers know results that were kept: those that they gave, and automatic ones. Names
// belong to one session of one principal, and to the rules that it had when it gave them. Calls without a
// session share the names of their principal; their automatic names are random, so that two clients of one
// principal do not use each other's by counting. Names are removed when their session has ended, and the
// least recently used ones if there are too many. Any thread.
class ResultNames {
 public:
  // Whose names they are.
  struct Owner {
    Principal principal;
    catalog::SessionToken session;
    PolicyDigest policy = {};  // Of the principal's rules.
  };

  // Keeps a handle under the caller's name, or under a free automatic one if that is empty. Returns the name.
  template <typename IsTaken>
  std::string keep(const Owner& owner, std::string_view name, const std::string& handle,
                   const IsTaken& is_taken) {
    const MutexLock lock(mutex_);
    const auto names = names_of(owner);
    std::string chosen(name);
    while (chosen.empty() || (name.empty() && is_taken(chosen))) chosen = next_automatic(*names);
    put(names, chosen, handle);
    return chosen;
  }

  // The handle of a name, in any case of its letters.
  std::optional<std::string> find(const Owner& owner, std::string_view name);
  bool has_any(const Owner& owner) const;
  static bool is_automatic(std::string_view name);  // r and digits.
  std::size_t size() const;                         // Of all owners.

 private:
  struct Named {
    std::string name;  // In lower case.
    std::string handle;
  };
  struct Names {
    Owner owner;
    std::uint64_t last = 0;  // The number of the last automatic name in a session.
    std::list<Named> kept;   // The oldest first.
  };
  struct Before {
    bool operator()(const Owner& a, const Owner& b) const;
  };
  using NamesList = std::list<Names>;

  NamesList::iterator names_of(const Owner& owner) SLUICE_REQUIRES(mutex_);
  static std::string next_automatic(Names& names);
  void put(NamesList::iterator names, std::string_view name, const std::string& handle)
      SLUICE_REQUIRES(mutex_);
  void remove(NamesList::iterator names) SLUICE_REQUIRES(mutex_);

  mutable Mutex mutex_;
  NamesList all_ SLUICE_GUARDED_BY(mutex_);  // The least recently used first.
  std::map<Owner, NamesList::iterator, Before> by_owner_ SLUICE_GUARDED_BY(mutex_);
  std::size_t count_ SLUICE_GUARDED_BY(mutex_) = 0;  // Names of all owners.
};

}  // namespace sluice::datasets::lean
