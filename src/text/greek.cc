#include <algorithm>
#include <array>

#include "language.h"

namespace sluice::text {
namespace {

// Every letter has two bytes.
bool has_two_greek_letters(std::string_view stem) { return stem.size() >= 4; }
bool has_three_greek_letters(std::string_view stem) { return stem.size() >= 6; }

template <std::size_t kCount>
bool ends_in_one_of(std::string_view stem, const std::array<std::string_view, kCount>& endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return stem.ends_with(ending); });
}

// Adjectives share their citation form with nouns, whose feminine is another word: "χώρος" is a space, "χώρα"
// a country. These are the ends by which an adjective is known.
bool is_adjective(std::string_view stem) {
  constexpr std::array<std::string_view, 8> kEnds = {"ικ", "ιμ", "ιν", "ηρ", "αι", "σι", "μεν", "ιακ"};
  return stem.size() >= 6 && ends_in_one_of(stem, kEnds);
}
bool is_verbal_noun(std::string_view stem) {
  constexpr std::array<std::string_view, 3> kEnds = {"σ", "ξ", "ψ"};
  return stem.size() >= 6 && ends_in_one_of(stem, kEnds);
}

// Written after normalisation, which drops accents and makes "ς" a "σ".
std::vector<Paradigm> greek_paradigms() {
  return {
      // δρόμος: δρόμου, δρόμοι, δρόμων, δρόμους.
      {.forms = "οσ ου ?ο ?ε οι ων ουσ", .fits = has_two_greek_letters},
      // έτος: έτους, έτη, ετών.
      {.forms = "οσ ουσ ?η ων", .fits = has_two_greek_letters},
      // σχολείο: σχολείου, σχολεία, σχολείων.
      {.forms = "ο ου ?α ων", .fits = has_two_greek_letters},
      // παιδί: παιδιού, παιδιά, παιδιών.
      {.forms = "ι ιου ια ιων", .fits = has_two_greek_letters},
      // πρόγραμμα: προγράμματος, προγράμματα, προγραμμάτων.
      {.forms = "μα ματοσ ματα ματων", .fits = has_two_greek_letters},
      // χώρα: χώρας, χώρες, χωρών.
      {.forms = "α ασ εσ ων", .fits = has_two_greek_letters},
      // τέχνη: τέχνης, τέχνες, τεχνών.
      {.forms = "η ησ εσ ων", .fits = has_two_greek_letters},
      // εκπαίδευση: εκπαίδευσης, εκπαιδεύσεως, εκπαιδεύσεις, εκπαιδεύσεων.
      {.forms = "η ησ εωσ εισ εων", .fits = is_verbal_noun},
      // μαθητής: μαθητή, μαθητές, μαθητών.
      {.forms = "ησ ?η εσ ων", .fits = has_three_greek_letters},
      // πίνακας: πίνακα, πίνακες, πινάκων.
      {.forms = "ασ ?α εσ ων", .fits = has_three_greek_letters},
      // γραμματέας: γραμματέα, γραμματείς, γραμματέων.
      {.forms = "εασ εα εισ εων", .fits = has_three_greek_letters},
      // δημόσιος: δημόσια, δημόσιο, δημόσιας, δημόσιες; τεχνικός: τεχνική, τεχνικής.
      {.forms = "οσ η α ο ου ησ ασ οι εσ ων ουσ", .fits = is_adjective},
  };
}

}  // namespace

const Language& greek() {
  static const Language language{.endings = Endings(greek_paradigms()),
                                 .alternations = nullptr,
                                 .restorations = nullptr,
                                 .irregular = {},
                                 .ambiguous = {}};
  return language;
}

}  // namespace sluice::text
