#pragma once

#include <compare>
#include <string>

namespace sluice {

// Who is calling. `id` is part of every cache key, handle, cursor, state and audit line.
struct Principal {
  std::string id;  // "local" for the process that started us or an open loopback server, else "token:<name>".

  friend auto operator<=>(const Principal&, const Principal&) = default;
};

inline Principal local_principal() { return Principal{.id = "local"}; }

}  // namespace sluice
