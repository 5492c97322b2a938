#include "sluice/text/sequence_ratio.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sluice/base/limits.h"

#include "utf8.h"

namespace sluice::text {
namespace {

constexpr std::size_t kPopularLettersMin =
    200;  // Of a text so long, letters can be too frequent to begin a block.

struct Range {  // [a_begin, a_end) of one text beside [b_begin, b_end) of the other.
  std::size_t a_begin = 0;
  std::size_t a_end = 0;
  std::size_t b_begin = 0;
  std::size_t b_end = 0;
};

struct Block {
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t size = 0;
};

class Matcher {
 public:
  Matcher(std::u32string a, std::u32string b) : a_(std::move(a)), b_(std::move(b)) {
    index_places();
    lengths_.resize(b_.size() + 1);
    next_lengths_.resize(b_.size() + 1);
  }

  // Letters in matching blocks.
  std::size_t matches() {
    std::size_t total = 0;
    std::vector<Range> waiting{{0, a_.size(), 0, b_.size()}};
    while (!waiting.empty() && steps_ < kSequenceStepsMax) {
      const Range range = waiting.back();
      waiting.pop_back();
      const Block block = longest(range);
      if (block.size == 0) continue;
      total += block.size;
      const Range left{range.a_begin, block.a, range.b_begin, block.b};
      const Range right{block.a + block.size, range.a_end, block.b + block.size, range.b_end};
      for (const Range& part : {left, right}) {
        if (part.a_begin < part.a_end && part.b_begin < part.b_end) waiting.push_back(part);
      }
    }
    return total;
  }

 private:
  // Of each letter of `a` the places in `b`, ascending; none for letters that are too frequent.
  void index_places() {
    std::vector<std::pair<char32_t, std::uint32_t>> sorted;
    sorted.reserve(b_.size());
    for (std::size_t i = 0; i < b_.size(); ++i) sorted.emplace_back(b_[i], static_cast<std::uint32_t>(i));
    std::sort(sorted.begin(), sorted.end());
    places_.reserve(sorted.size());
    for (const auto& [letter, place] : sorted) places_.push_back(place);
    const std::size_t most = b_.size() >= kPopularLettersMin ? b_.size() / 100 + 1 : b_.size();
    spans_.reserve(a_.size());
    for (const char32_t letter : a_) {
      const auto begin = std::lower_bound(sorted.begin(), sorted.end(), std::pair{letter, std::uint32_t{0}});
      const auto end = std::lower_bound(begin, sorted.end(),
                                        std::pair{static_cast<char32_t>(letter + 1), std::uint32_t{0}});
      const auto first = static_cast<std::uint32_t>(begin - sorted.begin());
      const auto size = static_cast<std::size_t>(end - begin);
      spans_.emplace_back(first, size > most ? first : static_cast<std::uint32_t>(end - sorted.begin()));
    }
  }

  // The longest block within the range; of equals the one that begins first in `a`, then in `b`.
  Block longest(const Range& range) {
    Block best{range.a_begin, range.b_begin, 0};
    std::vector<std::uint32_t>& touched = touched_;
    std::vector<std::uint32_t>& touched_next = touched_next_;
    touched.clear();
    for (std::size_t i = range.a_begin; i < range.a_end; ++i) {
      const auto [first, last] = spans_[i];
      touched_next.clear();
      for (auto place = std::lower_bound(places_.begin() + first, places_.begin() + last, range.b_begin);
           place != places_.begin() + last && *place < range.b_end; ++place) {
        const std::size_t j = *place;
        // lengths_[j] is that of the block which ends before j, for the letter of `a` before this one.
        const std::uint32_t size = lengths_[j] + 1;
        next_lengths_[j + 1] = size;
        touched_next.push_back(static_cast<std::uint32_t>(j + 1));
        if (size > best.size) best = {i + 1 - size, j + 1 - size, size};
      }
      steps_ += touched_next.size() + 1;
      for (const std::uint32_t j : touched) lengths_[j] = 0;
      std::swap(lengths_, next_lengths_);
      std::swap(touched, touched_next);
    }
    for (const std::uint32_t j : touched) lengths_[j] = 0;
    return widened(best, range);
  }

  // Frequent letters begin no block, but a block goes on over them.
  Block widened(Block block, const Range& range) const {
    while (block.a > range.a_begin && block.b > range.b_begin && a_[block.a - 1] == b_[block.b - 1]) {
      block = {block.a - 1, block.b - 1, block.size + 1};
    }
    while (block.a + block.size < range.a_end && block.b + block.size < range.b_end &&
           a_[block.a + block.size] == b_[block.b + block.size]) {
      ++block.size;
    }
    return block;
  }

  std::u32string a_;
  std::u32string b_;
  std::vector<std::uint32_t> places_;                           // Of all letters of `b`, by letter.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> spans_;  // Of each letter of `a` its part of places_.
  std::vector<std::uint32_t> lengths_;
  std::vector<std::uint32_t> next_lengths_;
  std::vector<std::uint32_t> touched_;  // Where lengths_ is not 0.
  std::vector<std::uint32_t> touched_next_;
  std::size_t steps_ = 0;
};

}  // namespace

double sequence_ratio(std::string_view a, std::string_view b) {
  std::u32string left = decode_letters(a, kSequenceLettersMax);
  std::u32string right = decode_letters(b, kSequenceLettersMax);
  const std::size_t both = left.size() + right.size();
  if (both == 0) return 1;
  const std::size_t matches =
      left == right ? left.size() : Matcher(std::move(left), std::move(right)).matches();
  return 2.0 * static_cast<double>(matches) / static_cast<double>(both);
}

}  // namespace sluice::text
