#include <array>
#include <string>

#include "language.h"

namespace sluice::text {
namespace {

enum : ParadigmSet { kMasculineBit = 1U, kSoftBit = 2U };

bool ends_in_cyrillic_letter(std::string_view stem, std::string_view letters) {
  if (stem.size() < 2) return false;
  for (std::size_t at = 0; at < letters.size(); at += 2)
    if (stem.ends_with(letters.substr(at, 2))) return true;
  return false;
}
bool is_hard_consonant(std::string_view stem) {
  return ends_in_cyrillic_letter(stem, "бвгджзклмнпрстфхцчшщ");
}
bool is_adjective_hard(std::string_view stem) {
  return stem.size() >= 4 && !ends_in_cyrillic_letter(stem, "гкхи");
}
bool is_adjective_velar(std::string_view stem) {
  return stem.size() >= 4 && ends_in_cyrillic_letter(stem, "гкх");
}
bool is_adjective_soft(std::string_view stem) {
  return stem.size() >= 4 && ends_in_cyrillic_letter(stem, "нжшчщ");
}
bool is_not_after_i(std::string_view stem) { return !ends_in_cyrillic_letter(stem, "и"); }

// Written after normalisation: "ё" is "е" there, and "й" stays.
std::vector<Paradigm> cyrillic_paradigms() {
  return {
      // закон: закона, законом, законов; врач: врачи, врачей.
      {.forms = "- ?а ?у ом ем ?е ?ы ?и ов ев ей ам ами ах", .fits = is_hard_consonant},
      // учитель: учителя; область: области, областью.
      {.forms = "ь ?я ?ю ем ?е ?и ью ей ям ями ях", .fits = is_hard_consonant},
      // школа: школы, школой, школ.
      {.forms = "а ?ы ?и ?е ?у ой ою ей !- ам ами ах", .fits = is_hard_consonant},
      // земля: земли, землей.
      {.forms = "я ?и ?е ?ю ей ею ?ь ям ями ях", .fits = is_not_after_i},
      // дело: дела, делом, дел.
      {.forms = "о ?а ?у ом ?е !- ам ами ах", .fits = is_hard_consonant},
      // поле: поля, полей.
      {.forms = "е ?я ?ю ем ей ям ями ях", .fits = is_hard_consonant},
      // образование: образования, образованием, образований.
      {.forms = "ие +ия +ию ием +ии +ий иям иями иях ье ья ью ьем"},
      // полиция: полиции, полицией.
      {.forms = "ия +ии +ию ией иею ий иям иями иях"},
      // музей: музея, музеев.
      {.forms = "й ?я ?ю ем ?е ?и ев ям ями ях"},
      // научный: научная, научного; молодой: молодая.
      {.forms = "ый ая ое ые ого ому ым ом ую ой ою ых ыми", .fits = is_adjective_hard},
      {.forms = "ой ая ое ые ие ого ому ым им ом ую ою ых их ыми ими", .fits = is_adjective_hard},
      // медицинский: медицинская, медицинского.
      {.forms = "ий ая ое ие ого ому им ом ую ой ою их ими", .fits = is_adjective_velar},
      // летний: летняя, летнего; общий: общая.
      {.forms = "ий яя ее ая ие его ему им ем юю ую ей ею их ими", .fits = is_adjective_soft},
  };
}

// A vowel that only the citation form has: рынок, рынка; отец, отца; день, дня.
std::vector<Alternation> cyrillic_alternations(std::string_view word) {
  struct Fleeting {
    std::string_view full;
    std::string_view reduced;
    ParadigmSet paradigms;
  };
  constexpr std::array<Fleeting, 5> kFleeting = {{{"ок", "к", kMasculineBit},
                                                  {"ек", "к", kMasculineBit},
                                                  {"ец", "ц", kMasculineBit},
                                                  {"ень", "н", kSoftBit},
                                                  {"ел", "л", kMasculineBit}}};
  for (const Fleeting& rule : kFleeting) {
    if (!word.ends_with(rule.full) || word.size() < rule.full.size() + 2) continue;
    std::string stem(word.substr(0, word.size() - rule.full.size()));
    return {{.stem = stem.append(rule.reduced), .paradigms = rule.paradigms}};
  }
  return {};
}

}  // namespace

const Language& cyrillic() {
  static const Language language{
      .endings = Endings(cyrillic_paradigms()),
      .alternations = cyrillic_alternations,
      .restorations = nullptr,
      .irregular =
          {
              {"ребенок", "дети", "детей", "детям", "детьми", "детях"},
              {"человек", "люди", "людей", "людям", "людьми", "людях"},
              {"год", "лет"},
              {"время", "времени", "временем", "времена", "времен", "временам", "временами", "временах"},
              {"мать", "матери", "матерью", "матерей", "матерям", "матерями", "матерях"},
              {"дочь", "дочери", "дочерью", "дочерей", "дочерям", "дочерями", "дочерях"},
          },
      .ambiguous = {},
  };
  return language;
}

}  // namespace sluice::text
