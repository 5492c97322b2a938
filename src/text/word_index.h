#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inflection.h"

namespace sluice::text {

using WordId = std::uint32_t;

// Which of many words a given word is, or is a form of. Lookups cost the same however many words there are.
// Any thread once it is filled.
class WordIndex {
 public:
  struct Hit {
    WordId word = 0;
    double confidence = 0;
  };

  // `word` is normalised. A word that was added before keeps its id.
  WordId add_exact(std::string_view word);
  WordId add_inflected(std::string_view word, Turkish turkish);

  // Replaces `hits` by the words that `word` is, or is a form of, each once.
  void find_exact(std::string_view word, std::vector<Hit>& hits) const;
  void find(std::string_view word, Turkish turkish, std::vector<Hit>& hits) const;

 private:
  struct StemUse {
    WordId word = 0;
    ParadigmSet paradigms = 0;
    double confidence = 0;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  template <typename T>
  using ByText = std::unordered_map<std::string, T, Hash, std::equal_to<>>;

  void note_beginning(std::string_view text);
  bool may_begin(std::string_view word) const;
  void find_stems(LanguageId id, std::string_view word, std::vector<Hit>& hits) const;

  ByText<WordId> ids_;
  ByText<std::vector<Hit>> whole_;
  std::array<ByText<std::vector<StemUse>>, kLanguages> stems_;
  // Most words of a text begin like none of ours, and this says so without a lookup.
  std::bitset<4096> beginnings_;
};

}  // namespace sluice::text
