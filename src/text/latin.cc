#include <algorithm>
#include <string>

#include "language.h"

namespace sluice::text {
namespace {

bool ends_in_latin_letter(std::string_view stem, std::string_view letters) {
  return !stem.empty() && letters.find(stem.back()) != std::string_view::npos;
}
bool takes_s(std::string_view stem) { return stem.size() >= 3 && !ends_in_latin_letter(stem, "sxzui"); }
bool takes_es(std::string_view stem) {
  return stem.size() >= 3 &&
         (ends_in_latin_letter(stem, "sxzonlrdj") || stem.ends_with("ch") || stem.ends_with("sh"));
}
bool has_three_latin_letters(std::string_view stem) { return stem.size() >= 3; }
bool has_four_latin_letters(std::string_view stem) { return stem.size() >= 4; }
bool ends_in_consonant(std::string_view stem) {
  return stem.size() >= 2 && !ends_in_latin_letter(stem, "aeiou");
}
bool ends_in_turkish_vowel(std::string_view stem) {
  return stem.size() >= 2 && ends_in_latin_letter(stem, "aeiou");
}

// Endings of the Turkish plural, which words without a letter that only Turkish has take too: "okul",
// "okullar". Vowel harmony tells it from other words; normalisation makes "ı" and "i" one letter.
std::string_view last_vowel(std::string_view stem) {
  const std::size_t at = stem.find_last_of("aeiou");
  return at == std::string_view::npos ? std::string_view() : stem.substr(at, 1);
}
bool takes_lar(std::string_view stem) {
  return stem.size() >= 4 && std::string_view("aoui").find(last_vowel(stem)) != std::string_view::npos &&
         !last_vowel(stem).empty();
}
bool takes_ler(std::string_view stem) {
  return stem.size() >= 4 && (last_vowel(stem) == "e" || last_vowel(stem) == "i");
}

// English verbs. Most nouns have a word of this form beside them that is another one ("school", "schooling").
bool is_verb(std::string_view stem) {
  return stem.size() >= 3 && !ends_in_latin_letter(stem, "aeiou") && !last_vowel(stem).empty();
}
bool is_verb_without_e(std::string_view stem) {
  return is_verb(stem) || (stem.size() >= 3 && ends_in_latin_letter(stem, "u"));
}

// A list of forms, each behind a mark.
std::string marked(char mark, std::string_view forms) {
  std::string out;
  bool begins = true;
  for (const char c : forms) {
    if (begins && c != ' ') out += mark;
    begins = c == ' ';
    out += c;
  }
  return out;
}

enum : ParadigmSet { kDoubledBit = ParadigmSet{1} << 23U };

// Written after normalisation, which makes "ı" an "i", "ü" a "u" and "ğ" a "g": half of vowel harmony is
// gone.
constexpr std::string_view kTurkishPlural =
    "- ?i in im imiz e a de da den dan le la ini ine ina inde inda inden indan inin";

std::vector<Paradigm> latin_paradigms() {
  return {
      {.forms = "- +s", .fits = takes_s},                                 // school, schools; école, écoles.
      {.forms = "- +es", .fits = takes_es},                               // tax, taxes; nación, naciones.
      {.forms = "y ies", .fits = ends_in_consonant},                      // city, cities.
      {.forms = "z ces", .fits = has_three_latin_letters},                // voz, voces.
      {.forms = "fe ves"},                                                // life, lives.
      {.forms = "f ves", .fits = has_three_latin_letters},                // half, halves.
      {.forms = "al aux ale ales als", .fits = has_three_latin_letters},  // national, nationaux.
      {.forms = "eau eaux"},                                              // bureau, bureaux.
      {.forms = "eu eux"},                                                // enjeu, enjeux.
      {.forms = "if ive ifs ives", .fits = has_three_latin_letters},      // actif, active.
      {.forms = "el elle els elles", .fits = has_three_latin_letters},    // culturel, culturelle.
      {.forms = "ien ienne iens iennes", .fits = has_three_latin_letters},  // européen (-een below), ancien.
      {.forms = "een eenne eens eennes"},                                   //
      {.forms = "eux euse euses", .fits = has_three_latin_letters},         // heureux, heureuse.
      {.forms = "o a os as", .fits = has_four_latin_letters},               // público, públicas.
      {.forms = "a o os as", .fits = has_four_latin_letters},               //
      {.forms = "e en", .fits = has_four_latin_letters},                    // Schule, Schulen.
      {.forms = "ung ungen"},                                               // Bildung, Bildungen.
      {.forms = "heit heiten"},                                             // Krankheit, Krankheiten.
      {.forms = "keit keiten"},                                             //
      {.forms = "schaft schaften"},                                         //
      {.forms = "tat taten", .fits = has_four_latin_letters},               // Universität, Universitäten.
      {.forms = "ion ionen", .fits = has_three_latin_letters},              // Institution, Institutionen.
      // run, with the stem runn: running; plan: planned. The place of this one is kDoubledBit.
      {.forms = "!ing !ed", .fits = is_never_cited},
      {.forms = "- ~ing ~ed", .fits = is_verb},            // teach, teaching.
      {.forms = "e ~ing ~ed", .fits = is_verb_without_e},  // use, using.
      // okul, okullar, okullarda.
      {.forms = "- " + marked('!', combine_forms("lar", kTurkishPlural)), .fits = takes_lar},
      {.forms = "- " + marked('~', combine_forms("ler", kTurkishPlural)), .fits = takes_ler},
  };
}

// A verb of one short vowel doubles its last consonant: run, running; plan, planned.
std::vector<Alternation> latin_alternations(std::string_view word) {
  constexpr std::string_view kVowels = "aeiouy";
  if (word.size() < 3 || word.size() > 7) return {};
  const auto is_vowel = [&](std::size_t from_end) {
    return kVowels.find(word[word.size() - from_end]) != std::string_view::npos;
  };
  const bool doubles = !is_vowel(1) && is_vowel(2) && !is_vowel(3) && !ends_in_latin_letter(word, "wxh");
  if (!doubles) return {};
  return {{.stem = std::string(word) + word.back(), .paradigms = kDoubledBit}};
}

std::vector<Paradigm> turkish_paradigms() {
  const std::string plural = combine_forms("ler lar", kTurkishPlural);
  return {
      // eğitim: eğitimi, eğitimin, eğitimde, eğitimler.
      {.forms = "- ?i ?u in un im um imiz umuz ?e ?a de da te ta den dan ten tan le la ini unu ine ina una "
                "inde inda "
                "unda inden indan undan inin unun " +
                plural,
       .fits = ends_in_consonant},
      // okuma: okumayı, okumanın, okuması.
      {.forms = "- yi yu nin nun ye ya de da den dan yle yla si su sini sunu sine sina suna sinde sinda "
                "sunda sinden "
                "sindan sundan sinin sunun " +
                plural,
       .fits = ends_in_turkish_vowel},
      // kitap, with the stem kitab: kitabı, kitabın.
      {.forms = "?i ?u in un im um ?e ?a ini unu ine ina una inde inda unda inden indan undan inin unun",
       .fits = is_never_cited},
  };
}

// A hard consonant at the end softens before a vowel: kitap, kitabı; sağlık, sağlığı; kanat, kanadı.
std::vector<Alternation> turkish_alternations(std::string_view word) {
  constexpr ParadigmSet kSoftened = ParadigmSet{1} << 2U;
  if (word.size() < 3) return {};
  std::string stem(word);
  switch (stem.back()) {
    case 'p':
      stem.back() = 'b';
      break;
    case 'k':
      stem.back() = 'g';
      break;
    case 't':
      stem.back() = 'd';
      break;
    default:
      return {};
  }
  return {{.stem = std::move(stem), .paradigms = kSoftened}};
}

}  // namespace

const Language& latin() {
  static const Language language{
      .endings = Endings(latin_paradigms()),
      .alternations = latin_alternations,
      .restorations = nullptr,
      .irregular =
          {
              {"child", "children"},
              {"man", "men"},
              {"woman", "women"},
              {"person", "people"},
              {"foot", "feet"},
              {"tooth", "teeth"},
              {"mouse", "mice"},
              {"analysis", "analyses"},
              {"crisis", "crises"},
              {"haus", "hauser", "hausern"},
              {"kind", "kinder", "kindern", "kindes"},
              {"land", "lander", "landern", "landes"},
              {"stadt", "stadte", "stadten"},
          },
      .ambiguous = {},
  };
  return language;
}

const Language& turkish() {
  static const Language language{.endings = Endings(turkish_paradigms()),
                                 .alternations = turkish_alternations,
                                 .restorations = nullptr,
                                 .irregular = {},
                                 .ambiguous = {}};
  return language;
}

}  // namespace sluice::text
