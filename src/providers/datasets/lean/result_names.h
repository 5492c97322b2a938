#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/principal.h"

namespace sluice::datasets::lean {

// The names by which callers know results that were kept: those that they gave, and r1, r2, … Each caller has
// names of its own; the oldest are forgotten first. Any thread.
class ResultNames {
 public:
  // Keeps a handle under the caller's name, or under the next free automatic one where that is empty.
  // Returns the name.
  template <typename IsTaken>
  std::string keep(const Principal& owner, std::string_view name, const std::string& handle,
                   const IsTaken& is_taken) {
    const std::lock_guard lock(mutex_);
    Names& names = names_of(owner);
    std::string chosen(name);
    while (chosen.empty() || (name.empty() && is_taken(chosen))) chosen = "r" + std::to_string(++names.last);
    put(names, chosen, handle);
    return chosen;
  }

  // The handle of a name, in any case of its letters.
  std::optional<std::string> find(const Principal& owner, std::string_view name) const;
  static bool is_automatic(std::string_view name);  // r and digits.

 private:
  struct Named {
    std::string name;  // In lower case.
    std::string handle;
  };
  struct Names {
    std::uint64_t last = 0;
    std::list<Named> kept;  // The oldest first.
  };

  Names& names_of(const Principal& owner);
  static void put(Names& names, std::string_view name, const std::string& handle);

  mutable std::mutex mutex_;
  std::map<Principal, Names> by_owner_;
  std::list<Principal> owners_;  // The oldest first.
};

}  // namespace sluice::datasets::lean
