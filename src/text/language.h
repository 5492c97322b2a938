#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "endings.h"

namespace sluice::text {

// A stem that a citation form has beside its own, and the paradigms whose endings it takes.
struct Alternation {
  std::string stem;
  ParadigmSet paradigms = 0;
};

// How words of one language (or one script) inflect, by rules over normalised text. Immutable; any thread.
struct Language {
  Endings endings;
  // The other stems of a citation form: "ջուր" has "ջր". Null where there are none.
  std::vector<Alternation> (*alternations)(std::string_view citation) = nullptr;
  // The citation forms whose other stem `stem` may be: "ջր" may be of "ջուր". Null where there are none.
  std::vector<std::string> (*restorations)(std::string_view stem) = nullptr;
  // Words that follow no rule: each is one lemma, its citation form first, then the forms that the rules
  // miss.
  std::vector<std::vector<std::string_view>> irregular;
  // Words that look like a form of another word and are more often one of their own: "համակարգում" is the
  // coordination, and only then "in the system".
  std::vector<std::string_view> ambiguous;
};

// For a paradigm whose stems are never part of a citation form.
inline bool is_never_cited(std::string_view /*stem*/) { return false; }

const Language& armenian();  // Eastern Armenian.
const Language& cyrillic();  // Russian.
const Language&
latin();  // English, French, Spanish and German, as far as they do not contradict one another.
const Language& turkish();
const Language& greek();  // Modern Greek.

}  // namespace sluice::text
