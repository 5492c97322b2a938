#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace sluice::expression {

inline std::uint64_t add_capped(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kCap = std::numeric_limits<std::uint64_t>::max();
  return a > kCap - b ? kCap : a + b;
}

inline std::uint64_t multiply_capped(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kCap = std::numeric_limits<std::uint64_t>::max();
  return b != 0 && a > kCap / b ? kCap : a * b;
}

// How long a text can get: so many times the longest cell of the data, and so many bytes from constants. With
// `x || x` in each of forty nested queries a text doubles forty times, and the engine's limits do not stop it
// in time, because a batch of two thousand texts is made before they are looked at again. So the check adds
// up the text that a statement makes per row, with every column of a query as long as its longest one.
struct Growth {
  std::uint64_t cells = 0;
  std::uint64_t bytes = 0;

  Growth operator+(const Growth& other) const {
    return {add_capped(cells, other.cells), add_capped(bytes, other.bytes)};
  }
  Growth times(std::uint64_t factor) const {
    return {multiply_capped(cells, factor), multiply_capped(bytes, factor)};
  }
  Growth larger(const Growth& other) const {
    return {std::max(cells, other.cells), std::max(bytes, other.bytes)};
  }
};

// What a part of a statement costs once every alias and every WITH table that it names is written out in its
// place. The engine does write out aliases (`SELECT a+a AS b, b+b AS c, c+c AS d, …`: twenty of them take
// minutes to bind, and binding cannot be interrupted); for the rest it is an upper bound.
struct Cost {
  std::uint64_t nodes = 0;
  std::uint64_t tables = 0;  // In FROM, subqueries included.
  Growth grown;
  std::uint64_t kept_values = 0;  // By medians and the like, for each row; see Question.

  Cost times(std::uint64_t factor) const {
    return {multiply_capped(nodes, factor), multiply_capped(tables, factor), grown.times(factor),
            multiply_capped(kept_values, factor)};
  }
  Cost& operator+=(const Cost& other) {
    nodes = add_capped(nodes, other.nodes);
    tables = add_capped(tables, other.tables);
    grown = grown + other.grown;
    kept_values = add_capped(kept_values, other.kept_values);
    return *this;
  }
};

}  // namespace sluice::expression
