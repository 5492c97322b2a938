#include <algorithm>
#include <array>

#include "language.h"
#include "utf8.h"

namespace sluice::text {
namespace {

// Articles and possessives, then dative, instrumental, ablative and locative, each with them.
constexpr std::string_view kConsonantCases =
    "- ը ?ն ?ս ?դ ?ի ին իս իդ ով ովն ովս ովդ ից իցն իցս իցդ !ում ումն ումս ումդ";
constexpr std::string_view kVowelCases =
    "- ?ն ?ս ?դ յի յին յիս յիդ յով յովն յից յիցն յում յումն ?ի ին ով ովն ից իցն !ում ումն";

enum : ParadigmSet { kReducedBit = ParadigmSet{1} << 6U };

// The last letter of a normalised word; "ու" is one vowel of two characters.
bool ends_in_vowel(std::string_view word) {
  constexpr std::array<std::string_view, 8> kVowels = {"ա", "ե", "է", "ը", "ի", "ո", "օ", "ու"};
  return std::any_of(kVowels.begin(), kVowels.end(), [&](auto vowel) { return word.ends_with(vowel); });
}

bool is_consonant_noun(std::string_view stem) { return !stem.empty() && !ends_in_vowel(stem); }
bool is_vowel_noun(std::string_view stem) {
  return ends_in_vowel(stem) && !stem.ends_with("ի") && !stem.ends_with("ու");
}
bool ends_in_y(std::string_view stem) { return stem.ends_with("յ"); }
bool is_infinitive(std::string_view stem) { return stem.ends_with("ել") || stem.ends_with("ալ"); }

std::vector<Paradigm> armenian_paradigms() {
  const std::string consonant_plural = combine_forms("ներ եր", kConsonantCases);
  const std::string vowel_plural = combine_forms("ներ", kConsonantCases);
  return {
      // ճանապարհ: ճանապարհի, ճանապարհների; գործ: գործեր. Of persons also անձ: անձանց.
      {.forms = std::string(kConsonantCases) + " " + consonant_plural + " ?անց անցից անցով",
       .fits = is_consonant_noun},
      // երեխա: երեխայի, երեխաներին; կոմիտե: կոմիտեի.
      {.forms = std::string(kVowelCases) + " " + vowel_plural, .fits = is_vowel_noun},
      // քաղաքացի: քաղաքացու, քաղաքացիներ.
      {.forms = "ի ին իս իդ ?ու ?ուն ?ուս ?ուդ ?ուց ուցն ով ովն !ում իում " +
                combine_forms("իներ", kConsonantCases)},
      // լեզու: լեզվի, լեզուներ.
      {.forms = "ու ?ուն ?ուս ?ուդ վի վին վիս վիդ վով վովն վից վիցն վում վումն " +
                combine_forms("ուներ", kConsonantCases)},
      // կրթություն: կրթության, կրթությամբ; ձյուն: ձյան. The rest is regular.
      {.forms = "ուն +ան անը անն անս անդ ամբ ամբն ամբը ամբս ամբդ", .fits = ends_in_y},
      // ոռոգում: ոռոգման, ոռոգմամբ. The rest is regular.
      {.forms = "ում ման մանը մանն մանս մանդ մամբ մամբն մամբը մամբս"},
      // ջուր, with the stem ջր: ջրի, ջրեր; երկիր, with երկր: երկրներ; ծնունդ, with the stem ծննդ: ծննդյան;
      // մանուկ, with մանկ: մանկան.
      {.forms = "?ի ին իս իդ ով ովն ովս ովդ ից իցն իցս իցդ !ում ումն ան անը անն յան յանը յանն վա վան վանից " +
                combine_forms("եր ներ", kConsonantCases),
       .fits = is_never_cited},
      // ապրել: ապրելու.
      {.forms = "- ու ուն ուս ուց", .fits = is_infinitive},
  };
}

bool is_armenian_vowel_at(std::string_view word, std::size_t at) {
  constexpr std::array<std::string_view, 7> kLetters = {"ա", "ե", "է", "ը", "ի", "ո", "օ"};
  return std::any_of(kLetters.begin(), kLetters.end(),
                     [&](auto letter) { return word.substr(at).starts_with(letter); });
}

// The last syllable loses its "ի" or "ու" when an ending with a vowel follows: գիրք, գրքի; խորհուրդ, խորհրդի.
// Not so the "յու" of ձյուն and the "ույ" of մշակույթ.
std::vector<Alternation> armenian_alternations(std::string_view word) {
  std::size_t vowel = std::string_view::npos;  // Every letter has two bytes.
  for (std::size_t at = 0; at + 1 < word.size(); at += 2)
    if (is_armenian_vowel_at(word, at)) vowel = at;
  if (vowel == std::string_view::npos || vowel == 0) return {};
  const std::string_view from_vowel = word.substr(vowel);
  std::size_t bytes = 0;
  if (from_vowel.starts_with("ի")) bytes = 2;
  if (from_vowel.starts_with("ու")) bytes = 4;
  const std::string_view before = word.substr(0, vowel);
  const std::string_view after = word.substr(vowel).substr(bytes);
  if (bytes == 0 || after.empty() || before.ends_with("յ") || after.starts_with("յ")) return {};
  return {{.stem = std::string(before) + std::string(after), .paradigms = kReducedBit}};
}

bool is_consonant_at(std::string_view word, std::size_t at) {
  return at + 1 < word.size() && !is_armenian_vowel_at(word, at) && !word.substr(at).starts_with("ւ");
}

// The inverse: a vowel is put back between two of the consonants at the end, before the last or before the
// last two.
std::vector<std::string> restorations(std::string_view stem) {
  std::vector<std::string> result;
  for (const std::size_t after : {std::size_t{2}, std::size_t{4}}) {  // Bytes, two for a letter.
    if (stem.size() < after + 2) break;
    const std::size_t at = stem.size() - after;
    if (!is_consonant_at(stem, at)) break;
    if (!is_consonant_at(stem, at - 2)) continue;
    for (const std::string_view vowel : {"ի", "ու"})
      result.push_back(std::string(stem.substr(0, at)).append(vowel).append(stem.substr(at)));
  }
  return result;
}

}  // namespace

const Language& armenian() {
  static const Language language{
      .endings = Endings(armenian_paradigms()),
      .alternations = armenian_alternations,
      .restorations = restorations,
      .irregular =
          {
              {"մարդ", "մարդու", "մարդուն", "մարդուս", "մարդուց", "մարդիկ", "մարդիկս", "մարդկանց",
               "մարդկանցից", "մարդկանցով"},
              {"անձ", "անձինք"},
              {"կին", "կնոջ", "կնոջը", "կնոջից", "կնոջով", "կանայք", "կանանց", "կանանցից", "կանանցով"},
              {"տուն", "տան", "տանը", "տանն", "տանից", "տանով"},
              {"շուն", "շան", "շանը", "շանից"},
              {"հայր", "հոր", "հորը", "հորից", "հորով"},
              {"մայր", "մոր", "մորը", "մորից", "մորով"},
              {"եղբայր", "եղբոր", "եղբորը", "եղբորից", "եղբորով"},
              {"քույր", "քրոջ", "քրոջը", "քրոջից", "քրոջով"},
              {"դուստր", "դստեր", "դստերը", "դստերից"},
              {"տեր", "տիրոջ", "տիրոջը", "տիրոջից"},
              {"ընկեր", "ընկերոջ", "ընկերոջը", "ընկերոջից"},
              {"աղջիկ", "աղջկա", "աղջկան"},
              {"անուն", "անվան", "անվանը", "անվանից", "անվամբ", "անվանն"},
              {"մահ", "մահվան", "մահվանը", "մահվանից", "մահվամբ"},
              {"սեր", "սիրո", "սիրով", "սիրուց"},
              {"օր", "օրվա", "օրվան", "օրվանից", "օրվանով"},
              {"տարի", "տարվա", "տարվան", "տարվանից"},
              {"շաբաթ", "շաբաթվա", "շաբաթվան", "շաբաթվանից"},
              {"ժամ", "ժամվա", "ժամվան", "ժամվանից"},
              {"գիշեր", "գիշերվա", "գիշերվան"},
              {"երեկո", "երեկոյան"},
              {"ամառ", "ամռան", "ամռանը", "ամառվա", "ամառվան"},
              {"ձմեռ", "ձմռան", "ձմռանը", "ձմեռվա", "ձմեռվան"},
          },
      // Verbal nouns and verbs whose root is a noun; wine, which is not of a price.
      .ambiguous = {"գինի",       "գնում",      "ապահովում", "դատում",      "գործում",   "լուծում",
                    "ծախսում",    "կապում",     "կոչում",    "համակարգում", "հաղորդում", "հարկում",
                    "հարցում",    "հիմնում",    "մշակում",   "նպաստում",    "չափում",    "պայքարում",
                    "պաշտպանում", "պատրաստում", "սահմանում", "վաստակում",   "վճարում",   "որոշում"},
  };
  return language;
}

}  // namespace sluice::text
