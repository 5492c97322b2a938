#pragma once

#include <compare>
#include <optional>
#include <string>
#include <utility>

#include "sluice/base/principal.h"

namespace sluice::cache {

// Who may see a value. There is no default: whoever makes a key has to say it.
class Scope {
 public:
  static Scope of(const Principal& principal) { return Scope(principal.id); }

  // Everyone. Only for values that are the same whoever asks.
  static Scope shared() { return Scope(std::nullopt); }

  friend auto operator<=>(const Scope&, const Scope&) = default;

 private:
  explicit Scope(std::optional<std::string> principal) : principal_(std::move(principal)) {}

  std::optional<std::string> principal_;  // Absent: shared, which no principal's id can spell.
};

struct Key {
  Scope scope;
  std::string text;

  friend auto operator<=>(const Key&, const Key&) = default;
};

}  // namespace sluice::cache
