#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sluice::text {

// Finds every occurrence of many byte strings in one pass (Aho and Corasick, 1975). Any thread once it is
// built.
class SubstringIndex {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  // All calls come before `build`. `text` is not empty.
  void add(std::string_view text, std::uint32_t pattern);
  void build();

  // Calls `found` with the pattern, where it begins and where it ends, in the order of the ends. Stops when
  // it returns false.
  template <typename Found>
  void find(std::string_view text, const Found& found) const {
    std::uint32_t at = kRoot;
    for (std::size_t i = 0; i < text.size(); ++i) {
      at = step(at, static_cast<unsigned char>(text[i]));
      for (std::uint32_t node = at; node != kRoot; node = nodes_[node].next_end)
        for (std::uint32_t pattern = nodes_[node].pattern; pattern != kNone; pattern = same_text_[pattern])
          if (!found(pattern, i + 1 - nodes_[node].depth, i + 1)) return;
    }
  }

 private:
  static constexpr std::uint32_t kRoot = 0;

  struct Edge {
    unsigned char byte = 0;
    std::uint32_t node = 0;
  };
  struct Node {
    std::vector<Edge> edges;
    std::uint32_t fail = kRoot;      // The longest proper suffix that is also a beginning of a pattern.
    std::uint32_t next_end = kRoot;  // The longest suffix that is a whole pattern.
    std::uint32_t pattern = kNone;   // The first that ends here.
    std::uint32_t depth = 0;
  };

  std::uint32_t child(std::uint32_t node, unsigned char byte) const;
  std::uint32_t step(std::uint32_t node, unsigned char byte) const;

  std::vector<Node> nodes_{Node{}};
  std::array<std::uint32_t, 256> root_{};  // Where each byte leads from the root, most often back to it.
  std::vector<std::uint32_t> same_text_;   // The next pattern with the same text.
};

}  // namespace sluice::text
