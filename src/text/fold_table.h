#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace sluice::text {

// What normalisation makes of one code point on its own.
enum class FoldKind : std::uint8_t {
  kKeep,       // One code point of a word.
  kDrop,       // Nothing: an accent or an invisible character.
  kSeparator,  // The end of a word.
  kExpand,     // Several code points; 0 stands for a separator.
};

struct Fold {
  FoldKind kind : 3;
  std::uint32_t joins : 1;   // May combine with the code point before it; `point` is what to combine with.
  std::uint32_t point : 28;  // kKeep: the code point. kExpand: the index into FoldPage::expansions.
};
static_assert(sizeof(Fold) == 4, "a page is one kilobyte");

struct FoldPage {
  std::array<Fold, 256> folds;
  std::vector<std::u32string> expansions;
};

// The page of 256 code points that `point` (at most U+10FFFF) belongs to. It is made when it is first asked
// for, and lives for ever. Any thread.
const FoldPage& fold_page(char32_t point);

// What `first` and `second` combine to canonically ("и" and a breve are "й"), or 0.
char32_t compose(char32_t first, char32_t second);

}  // namespace sluice::text
