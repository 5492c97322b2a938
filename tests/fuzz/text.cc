// Any bytes normalise to valid, stable text; patterns match what they are made of, in every mode that
// promises it.
#include "sluice/base/text.h"

#include <string>
#include <vector>

#include "sluice/text/encoding.h"
#include "sluice/text/normalize.h"
#include "sluice/text/pattern_set.h"
#include "sluice/text/words.h"

#include "property.h"

namespace {

using sluice::text::Match;
using sluice::text::Mode;
using sluice::text::PatternSet;

void check_words(std::string_view text, const std::string& normalized) {
  std::size_t bytes = 0;
  for (const sluice::text::Word& word : sluice::text::words(text)) {
    require(!word.text.empty() && word.text.find(' ') == std::string::npos,
            "a word has letters and no space");
    require(word.offset + word.size <= text.size() && word.size > 0, "a word comes from the text");
    bytes += word.text.size();
  }
  std::size_t letters = 0;
  for (const char c : normalized) letters += c == ' ' ? 0U : 1U;
  require(bytes == letters, "the words are the normalised text");
}

void check_patterns(const std::string& pattern, std::string_view value) {
  const std::vector<std::string> patterns{pattern};
  bool found_strictly = false;
  for (const Mode mode : {Mode::kStrict, Mode::kBalanced, Mode::kPermissive}) {
    const sluice::Result<PatternSet> set = PatternSet::compile(patterns, mode);
    if (!set) return;
    require(set->match(pattern).has_value(), "a pattern matches itself");
    const std::optional<Match> match = set->match(value);
    require(set->match_all(value).size() == (match ? 1U : 0U), "one pattern matches once");
    if (match) require(match->confidence > 0 && match->confidence <= 1, "confidence is of (0, 1]");
    if (mode == Mode::kStrict) found_strictly = match.has_value();
    if (mode == Mode::kBalanced)
      require(!found_strictly || match.has_value(), "balanced finds what strict finds");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = text_of(data, size);
  const std::string normalized = sluice::text::normalize(input);
  require(sluice::is_valid_utf8(normalized), "normalised text is UTF-8");
  require(sluice::text::normalize(normalized) == normalized, "normalised text is stable");
  check_words(input, normalized);
  const auto [pattern, value] = two_texts(input);
  check_patterns(std::string(pattern), value);
  const sluice::text::Encoding encoding = sluice::text::detect_encoding(input);
  const sluice::Result<std::string> utf8 = sluice::text::to_utf8(input, encoding.charset);
  require(utf8.ok() && sluice::is_valid_utf8(*utf8), "what is detected converts to UTF-8");
  return 0;
}
