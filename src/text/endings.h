#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::text {

// A set of paradigms of one language: bit i is its i-th.
using ParadigmSet = std::uint32_t;
inline constexpr std::size_t kParadigmsMax = 32;

// How one kind of word inflects. `forms` are the endings, separated by spaces: first that of the citation
// form, which dictionaries and users give; "-" is no ending at all. An ending after "?" is short enough that
// many words have it by accident; one after "!" as well, and in a word that is asked for it is no ending at
// all. A word with an ending after "~" is as often another word, and neither is that an ending in a word that
// is asked for. In such a word an ending of less than three letters is doubted too, unless it stands after
// "+". `fits` says whether a citation form (without its ending) can be of this kind; null fits all.
struct Paradigm {
  std::string forms;
  bool (*fits)(std::string_view stem) = nullptr;
};

// What is known about an ending.
struct Ending {
  ParadigmSet citation = 0;  // Paradigms whose citation form it is.
  ParadigmSet clear = 0;     // Paradigms that have it, and which is no accident.
  ParadigmSet doubtful = 0;
  ParadigmSet ambiguous = 0;  // Paradigms that have it, and in which it is as often no ending.
  // Paradigms by which a word with this ending leads back to its citation form, and those that do so clearly.
  ParadigmSet restores = 0;
  ParadigmSet restores_clearly = 0;
};

// The endings of a language, found from the end of a word. Immutable; any thread.
class Endings {
 public:
  explicit Endings(std::vector<Paradigm> paradigms);

  // Calls `found` with each way to cut `word` into a stem, of at least one letter, and an ending.
  template <typename Found>  // void(std::string_view stem, const Ending&)
  void for_each(std::string_view word, const Found& found) const {
    std::uint32_t at = 0;
    for (std::size_t i = word.size(); i > 0; --i) {
      const Node& node = nodes_[at];
      if (node.ending >= 0) found(word.substr(0, i), endings_[static_cast<std::size_t>(node.ending)]);
      const auto next = std::find_if(node.next.begin(), node.next.end(),
                                     [&](const auto& edge) { return edge.first == word[i - 1]; });
      if (next == node.next.end()) return;
      at = next->second;
    }
  }

  std::span<const Paradigm> paradigms() const { return paradigms_; }
  std::string_view citation_ending(std::size_t paradigm) const;

 private:
  struct Node {
    std::vector<std::pair<char, std::uint32_t>> next;
    std::int32_t ending = -1;
  };

  Ending& ending_of(std::string_view text);

  std::vector<Paradigm> paradigms_;
  std::vector<Node> nodes_;  // A trie of the endings, read backwards. The first is the root.
  std::vector<Ending> endings_;
};

// Every combination of one of `bases` and one of `endings`, both separated by spaces, as a list of the same
// form.
std::string combine_forms(std::string_view bases, std::string_view endings);

}  // namespace sluice::text
