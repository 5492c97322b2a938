#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"

namespace sluice::text {

// How a word of a value has to agree with a word of a pattern. Both are normalised first.
enum class Mode : std::uint8_t {
  kStrict,  // It is the same word.
  kBalanced,  // It is the same word or an inflected form of it: "կրթություն" finds "կրթության".
  // All that balanced finds, and values that contain the pattern anywhere: "գիտական" finds "մասնագիտական".
  kPermissive,
};

// "strict", "balanced" and "permissive", or "whole_word", "normalized" and "contains", which mean the same.
Result<Mode> parse_mode(std::string_view name);
std::string_view to_string(Mode mode);

struct Match {
  std::size_t pattern = 0;  // Its index in what was compiled.
  std::string text;         // The words of the value that matched, normalised.
  // 1 for the same words; at least 0.8 for forms that the rules are sure of; less where the pattern itself
  // may or may not be an inflected form, where the value's word may as well be another one, and in permissive
  // mode for a part of a word: 0.7 for its beginning, else 0.5.
  double confidence = 0;

  friend bool operator==(const Match&, const Match&) = default;
};

// Patterns to look for in many values. A pattern of several words matches these words in a row. Inflection is
// known for Armenian, Russian, Greek, English, French, Spanish, German and Turkish, by rules; a compound
// ("մասնագիտական" of "գիտական") and a derived word ("կրթական" of "կրթություն", "ճանապարհային" of "ճանապարհ")
// is another word. Whoever wants both asks for both. Immutable; any thread. The time of a match does not grow
// with the number of patterns.
class PatternSet {
 public:
  // Fails with the code "invalid_pattern" where there is no pattern or more than 1,000, or one is longer than
  // 256 bytes or has no letter and no digit.
  static Result<PatternSet> compile(std::span<const std::string> patterns, Mode mode);

  PatternSet(PatternSet&&) noexcept;
  PatternSet& operator=(PatternSet&&) noexcept;
  ~PatternSet();

  // The match with the highest confidence; of equals the one that ends first, then the one of the first
  // pattern. `value` is any bytes.
  std::optional<Match> match(std::string_view value) const;

  // Of each pattern that matches its best match, in the order of the patterns.
  std::vector<Match> match_all(std::string_view value) const;

 private:
  class Index;
  explicit PatternSet(std::unique_ptr<const Index> index);

  std::unique_ptr<const Index> index_;
};

}  // namespace sluice::text
