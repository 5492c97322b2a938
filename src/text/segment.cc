#include "segment.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include <unicode/brkiter.h>
#include <unicode/locid.h>
#include <unicode/unistr.h>

#include "utf8.h"

namespace sluice::text {
namespace {

// The dictionary looks at one such piece at a time: its memory is bounded, and a word may be cut between two.
constexpr std::size_t kPieceLettersMax = 1024;

bool is_written_without_spaces(char32_t point) {
  struct Range {
    char32_t first;
    char32_t last;
  };
  constexpr Range kRanges[] = {
      {0x0E00, 0x0EFF},    // Thai, Lao.
      {0x1000, 0x109F},    // Burmese.
      {0x1780, 0x17FF},    // Khmer.
      {0x3005, 0x3007},    // Ideographic iteration mark and zero.
      {0x3041, 0x30FF},    // Hiragana, Katakana.
      {0x31F0, 0x31FF},    // Katakana extensions.
      {0x3400, 0x4DBF},    // Ideographs, as the two that follow.
      {0x4E00, 0x9FFF},    //
      {0x20000, 0x3FFFF},  //
  };
  return std::any_of(std::begin(kRanges), std::end(kRanges),
                     [&](const Range& range) { return point >= range.first && point <= range.last; });
}

// ICU's iterators are not for several threads at once, and dear to make.
icu::BreakIterator* word_breaks() {
  thread_local const std::unique_ptr<icu::BreakIterator> iterator = [] {
    UErrorCode status = U_ZERO_ERROR;
    std::unique_ptr<icu::BreakIterator> made(
        icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
    if (U_FAILURE(status)) made.reset();
    return made;
  }();
  return iterator.get();
}

void cut_piece(std::string_view piece, const std::function<void(std::string_view)>& found) {
  icu::BreakIterator* const breaks = word_breaks();
  if (breaks == nullptr) return found(piece);  // ICU's data is missing: a run of letters is one word.
  icu::UnicodeString utf16;
  std::vector<std::size_t> offsets;  // Of each UTF-16 unit in `piece`.
  for (std::size_t at = 0; at < piece.size();) {
    const std::size_t start = at;
    utf16.append(static_cast<UChar32>(decode(piece, at)));
    offsets.resize(static_cast<std::size_t>(utf16.length()), start);
  }
  offsets.push_back(piece.size());
  breaks->setText(utf16);
  std::int32_t begin = breaks->first();
  for (std::int32_t end = breaks->next(); end != icu::BreakIterator::DONE; end = breaks->next()) {
    const std::size_t from = offsets[static_cast<std::size_t>(begin)];
    found(piece.substr(from, offsets[static_cast<std::size_t>(end)] - from));
    begin = end;
  }
}

void cut_run(std::string_view run, const std::function<void(std::string_view)>& found) {
  std::size_t begin = 0;
  std::size_t count = 0;
  for (std::size_t at = 0; at < run.size();) {
    decode(run, at);
    if (++count < kPieceLettersMax && at < run.size()) continue;
    cut_piece(run.substr(begin, at - begin), found);
    begin = at;
    count = 0;
  }
}

}  // namespace

bool needs_dictionary(std::string_view normalized) {
  for (std::size_t at = 0; at < normalized.size();) {
    if (static_cast<unsigned char>(normalized[at]) < 0xE0) {  // All these scripts begin above U+07FF.
      ++at;
    } else if (is_written_without_spaces(decode(normalized, at))) {
      return true;
    }
  }
  return false;
}

void for_each_word(std::string_view normalized, const std::function<void(std::string_view)>& found) {
  const bool with_dictionary = needs_dictionary(normalized);
  while (!normalized.empty()) {
    const std::size_t space = std::min(normalized.find(' '), normalized.size());
    const std::string_view run = normalized.substr(0, space);
    if (with_dictionary && needs_dictionary(run))
      cut_run(run, found);
    else if (!run.empty())
      found(run);
    normalized.remove_prefix(std::min(space + 1, normalized.size()));
  }
}

}  // namespace sluice::text
