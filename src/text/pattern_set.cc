#include "sluice/text/pattern_set.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/text/normalize.h"

#include "folder.h"
#include "segment.h"
#include "substring_index.h"
#include "word_index.h"

namespace sluice::text {
namespace {

constexpr double kBeginningOfWord = 0.7;
constexpr double kPartOfWord = 0.5;

Error invalid_pattern(std::string_view message, std::string_view hint) {
  return invalid_input(message).with_code("invalid_pattern").with_hint(hint);
}

Result<std::string> check_pattern(const std::string& pattern) {
  const std::string bound = std::to_string(kPatternBytesMax);
  if (pattern.size() > kPatternBytesMax)
    return invalid_pattern("pattern is longer than " + bound + " bytes: " + excerpt(pattern),
                           "give the words that matter, at most " + bound + " bytes");
  std::string normalized = normalize(pattern);
  if (normalized.empty())
    return invalid_pattern("pattern has no letter and no digit: " + excerpt(pattern),
                           "give at least one word to look for");
  if (normalized.size() > kPatternBytesMax)
    return invalid_pattern("pattern is longer than " + bound + " bytes when normalised: " + excerpt(pattern),
                           "give the words that matter, in plain letters");
  return normalized;
}

// A match that still points into the normalised value.
struct RawMatch {
  std::size_t pattern = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  double confidence = 0;
};

}  // namespace

// What a set is compiled to. `search` reports matches until the visitor returns false: words and their forms
// in the order of their ends, then parts of words in the order of their ends.
class PatternSet::Index {
 public:
  explicit Index(Mode mode) : mode_(mode) {}

  void add(std::uint32_t pattern, std::string_view normalized) {
    if (mode_ == Mode::kPermissive) substrings_.add(normalized, pattern);
    std::uint32_t node = kRoot;
    for_each_word(normalized, [&](std::string_view word) {
      const WordId id =
          mode_ == Mode::kStrict ? words_.add_exact(word) : words_.add_inflected(word, turkish_);
      const auto [edge, is_new] = edges_.try_emplace(edge_key(node, id), ends_.size());
      if (is_new) ends_.emplace_back();
      node = edge->second;
    });
    ends_[node].push_back(pattern);
  }

  void set_turkish() { turkish_ = Turkish::kYes; }
  void finish() { substrings_.build(); }

  // `value` as it came, `normalized` as it is searched. Permissive finds all that balanced finds, then more.
  template <typename Visit>
  void search(std::string_view value, std::string_view normalized, const Visit& visit) const {
    const bool wants_more = search_words(value, normalized, visit);
    if (wants_more && mode_ == Mode::kPermissive) search_substrings(normalized, visit);
  }

 private:
  static constexpr std::uint32_t kRoot = 0;

  // A phrase of which the words up to here have matched.
  struct Active {
    std::uint32_t node = kRoot;
    std::size_t begin = 0;
    double confidence = kSameWord;
  };

  static std::uint64_t edge_key(std::uint32_t node, WordId word) {
    return (std::uint64_t{node} << 32U) | word;
  }

  // False: the visitor wants no more.
  template <typename Visit>
  bool search_words(std::string_view value, std::string_view normalized, const Visit& visit) const {
    const Turkish turkish =
        mode_ != Mode::kStrict && turkish_ == Turkish::kNo ? looks_turkish(value) : turkish_;
    std::vector<WordIndex::Hit> hits;
    std::vector<Active> active;
    std::vector<Active> next;
    bool wanted = true;
    for_each_word(normalized, [&](std::string_view word) {
      if (!wanted) return;
      if (mode_ == Mode::kStrict)
        words_.find_exact(word, hits);
      else
        words_.find(word, turkish, hits);
      next.clear();
      const auto begin = static_cast<std::size_t>(word.data() - normalized.data());
      if (!hits.empty()) active.push_back({.begin = begin});
      for (const WordIndex::Hit& hit : hits) {
        for (const Active& state : active) {
          const auto edge = edges_.find(edge_key(state.node, hit.word));
          if (edge == edges_.end()) continue;
          const double confidence = std::min(state.confidence, hit.confidence);
          next.push_back({.node = edge->second, .begin = state.begin, .confidence = confidence});
          for (const std::uint32_t pattern : ends_[edge->second])
            wanted = wanted && visit(RawMatch{.pattern = pattern,
                                              .begin = state.begin,
                                              .end = begin + word.size(),
                                              .confidence = confidence});
        }
      }
      std::swap(active, next);
    });
    return wanted;
  }

  template <typename Visit>
  void search_substrings(std::string_view text, const Visit& visit) const {
    substrings_.find(text, [&](std::uint32_t pattern, std::size_t begin, std::size_t end) {
      const bool at_start = begin == 0 || text[begin - 1] == ' ';
      const bool at_end = end == text.size() || text[end] == ' ';
      RawMatch found{.pattern = pattern, .begin = begin, .end = end, .confidence = kPartOfWord};
      if (at_start) found.confidence = at_end ? kSameWord : kBeginningOfWord;
      return visit(found);
    });
  }

  Mode mode_;
  Turkish turkish_ = Turkish::kNo;
  WordIndex words_;
  std::unordered_map<std::uint64_t, std::uint32_t> edges_;  // A trie of the phrases, by node and word.
  std::vector<std::vector<std::uint32_t>> ends_{{}};        // The patterns that end at each node.
  SubstringIndex substrings_;
};

namespace {

// The words that a match touches. Permissive matches may begin and end within one; a hostile word is not
// copied whole.
std::string words_around(std::string_view normalized, std::size_t begin, std::size_t end) {
  constexpr std::size_t kContextBytesMax = 256;
  std::size_t from = begin;
  while (from > 0 && normalized[from - 1] != ' ' && begin - from < kContextBytesMax) --from;
  while (from < begin && (static_cast<unsigned char>(normalized[from]) & 0xC0U) == 0x80) ++from;
  std::size_t to = end;
  while (to < normalized.size() && normalized[to] != ' ' && to - end < kContextBytesMax) ++to;
  while (to < normalized.size() && to > end && (static_cast<unsigned char>(normalized[to]) & 0xC0U) == 0x80)
    --to;
  return std::string(normalized.substr(from, to - from));
}

Match to_match(const RawMatch& found, std::string_view normalized) {
  return {.pattern = found.pattern,
          .text = words_around(normalized, found.begin, found.end),
          .confidence = found.confidence};
}

// A value is normalised for each match, so the buffer is kept; but not one that a huge value has left.
class Scratch {
 public:
  explicit Scratch(std::string_view value) {
    folder().clear();
    folder().append(value);
  }
  ~Scratch() {
    constexpr std::size_t kKeptBytesMax = 64 * 1024;
    if (folder().text().size() > kKeptBytesMax) folder() = Folder();
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string_view text() const { return folder().text(); }

 private:
  static Folder& folder() {
    thread_local Folder instance;
    return instance;
  }
};

}  // namespace

Result<Mode> parse_mode(std::string_view name) {
  if (name == "strict" || name == "whole_word") return Mode::kStrict;
  if (name == "balanced" || name == "normalized") return Mode::kBalanced;
  if (name == "permissive" || name == "contains") return Mode::kPermissive;
  return invalid_input("read pattern mode: " + excerpt(name))
      .with_code("invalid_pattern")
      .with_hint("use strict (whole_word), balanced (normalized) or permissive (contains)");
}

std::string_view to_string(Mode mode) {
  switch (mode) {
    case Mode::kStrict:
      return "strict";
    case Mode::kBalanced:
      return "balanced";
    case Mode::kPermissive:
      return "permissive";
  }
  return "";
}

Result<PatternSet> PatternSet::compile(std::span<const std::string> patterns, Mode mode) {
  if (patterns.empty())
    return invalid_pattern("compile patterns: none is given", "give at least one word to look for");
  if (patterns.size() > kPatternsMax)
    return invalid_pattern("compile patterns, too many: " + std::to_string(patterns.size()),
                           "give at most " + std::to_string(kPatternsMax) + " patterns");
  auto index = std::make_unique<Index>(mode);
  const auto is_turkish = [](const std::string& pattern) { return looks_turkish(pattern) == Turkish::kYes; };
  if (std::any_of(patterns.begin(), patterns.end(), is_turkish)) index->set_turkish();
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    SLUICE_TRY(const std::string normalized, check_pattern(patterns[i]));
    index->add(static_cast<std::uint32_t>(i), normalized);
  }
  index->finish();
  return PatternSet(std::move(index));
}

PatternSet::PatternSet(std::unique_ptr<const Index> index) : index_(std::move(index)) {}
PatternSet::PatternSet(PatternSet&&) noexcept = default;
PatternSet& PatternSet::operator=(PatternSet&&) noexcept = default;
PatternSet::~PatternSet() = default;

std::optional<Match> PatternSet::match(std::string_view value) const {
  const Scratch scratch(value);
  std::optional<RawMatch> best;
  index_->search(value, scratch.text(), [&](const RawMatch& found) {
    const bool is_tie = best && found.confidence == best->confidence && found.end == best->end;
    if (!best || found.confidence > best->confidence || (is_tie && found.pattern < best->pattern))
      best = found;
    return best->confidence < kSameWord || best->end == found.end;
  });
  if (!best) return std::nullopt;
  return to_match(*best, scratch.text());
}

std::vector<Match> PatternSet::match_all(std::string_view value) const {
  const Scratch scratch(value);
  std::unordered_map<std::size_t, RawMatch> best;
  index_->search(value, scratch.text(), [&](const RawMatch& found) {
    const auto [known, is_new] = best.try_emplace(found.pattern, found);
    if (!is_new && found.confidence > known->second.confidence) known->second = found;
    return true;
  });
  std::vector<Match> matches;
  for (const auto& [pattern, found] : best) matches.push_back(to_match(found, scratch.text()));
  std::sort(matches.begin(), matches.end(),
            [](const Match& a, const Match& b) { return a.pattern < b.pattern; });
  return matches;
}

}  // namespace sluice::text
