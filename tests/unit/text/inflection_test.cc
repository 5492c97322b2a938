// Inflected forms of words that the quality measurement does not cover, language by language.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/text/pattern_set.h"

namespace sluice::text {
namespace {

PatternSet balanced(const std::string& pattern) {
  const std::vector<std::string> patterns{pattern};
  return PatternSet::compile(patterns, Mode::kBalanced).value();
}

// A lemma, words of its own forms, and words that only look like them.
struct Case {
  std::string lemma;
  std::vector<std::string> forms;
  std::vector<std::string> others;
};

void expect_forms(const std::vector<Case>& cases) {
  for (const Case& lemma : cases) {
    const PatternSet set = balanced(lemma.lemma);
    for (const std::string& form : lemma.forms) {
      const std::optional<Match> match = set.match(form);
      ASSERT_TRUE(match.has_value()) << lemma.lemma << " does not find " << form;
      EXPECT_GE(match->confidence, 0.8) << lemma.lemma << " doubts " << form;
    }
    for (const std::string& other : lemma.others) {
      const std::optional<Match> match = set.match(other);
      EXPECT_TRUE(!match || match->confidence < 0.8) << lemma.lemma << " finds " << other;
    }
  }
}

TEST(ArmenianInflection, KnowsTheCasesOfNouns) {
  expect_forms({
      {"ծրագիր",
       {"ծրագիր", "ծրագիրը", "ծրագիրն", "ծրագրի", "ծրագրին", "ծրագրով", "ծրագրում", "ծրագրեր", "ծրագրերից",
        "ծրագրերն"},
       {"ծրագրային", "ծրագրավորում", "ենթածրագրեր"}},
      {"աշխատանք", {"աշխատանքի", "աշխատանքին", "աշխատանքից", "աշխատանքներում"}, {"աշխատանքային", "աշխատող"}},
      {"երկիր", {"երկրի", "երկրում", "երկրների", "երկրներում"}, {"երկրային", "երկրորդ", "երկերի"}},
      {"մարմին", {"մարմնի", "մարմինների", "մարմիններից"}, {"մարդ", "մարմար"}},
      {"խումբ", {"խմբի", "խմբում", "խմբերին"}, {"խմբային"}},
      {"գին", {"գնի", "գների", "գներով"}, {"գինի", "գնում"}},
      {"շուկա", {"շուկայի", "շուկայում", "շուկաներից"}, {"շուկայահանվող", "շուկայական"}},
      {"կոմիտե", {"կոմիտեի", "կոմիտեն", "կոմիտեում", "կոմիտեների"}, {}},
      {"ռադիո", {"ռադիոյի", "ռադիոյով"}, {"ռադիոակտիվ"}},
      {"ամիս", {"ամսվա", "ամսում", "ամիսների"}, {"ամսական"}},
      {"տարի", {"տարվա", "տարին", "տարիների", "տարում"}, {"տարեկան", "տարիք", "տարեց", "տարածք"}},
      {"անուն", {"անվան", "անունով", "անուններ"}, {"անի", "անվանում"}},
      {"արյուն", {"արյան", "արյամբ", "արյունը"}, {"արյունաբանական"}},
      {"հոգի", {"հոգու", "հոգուց", "հոգով", "հոգիներ"}, {"հոգեբան"}},
      {"մայր", {"մոր", "մորը", "մայրեր"}, {"մայրական"}},
      {"տուն", {"տան", "տանը", "տներ", "տների"}, {"մանկատան", "տանիք"}},
      {"սահման", {"սահմանի", "սահմաններ"}, {"սահմանափակ", "սահմանում", "սահմանադրական"}},
      {"համակարգ", {"համակարգի", "համակարգերում"}, {"համակարգում", "համակարգիչ", "համակարգման"}},
  });
}

TEST(ArmenianInflection, KnowsAbstractAndVerbalNouns) {
  expect_forms({
      {"ծառայություն",
       {"ծառայության", "ծառայությանը", "ծառայությամբ", "ծառայությունից", "ծառայությունները",
        "ծառայություններում"},
       {"ծառայող", "ծառայողական", "ծառ"}},
      {"ներդրում",
       {"ներդրման", "ներդրմանն", "ներդրմամբ", "ներդրումների"},
       {"ներդրումային", "ներդրող", "ներ"}},
      {"ապրել", {"ապրելու", "ապրելուն"}, {"ապրելակերպ", "ապրող"}},
  });
}

TEST(ArmenianInflection, LeadsFromAnyFormBackToTheWord) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"ջրի", "ջուր"},       {"ծրագրերի", "ծրագիր"},   {"խորհրդի", "խորհուրդ"}, {"սննդով", "սնունդ"},
      {"գրքեր", "գիրք"},     {"երկրից", "երկրների"},   {"կանանց", "կին"},       {"տարվա", "տարիներ"},
      {"լեզվի", "լեզուներ"}, {"քաղաքացու", "քաղաքացի"}};
  for (const auto& [pattern, value] : cases)
    EXPECT_TRUE(balanced(pattern).match(value).has_value()) << pattern << " does not find " << value;
}

TEST(ArmenianInflection, DoesNotFindCompoundsOrDerivedWords) {
  expect_forms({
      {"գիտական", {"գիտական", "գիտականը", "գիտականների"}, {"մասնագիտական", "դիվանագիտական", "գիտակրթական"}},
      {"կրթություն", {"կրթության"}, {"կրթական", "հանրակրթություն", "կրթաթոշակ"}},
      {"մշակույթ", {"մշակույթի"}, {"մշակութային", "մշակում", "մշակություն"}},
      {"պաշտպանություն", {"պաշտպանությանն"}, {"պաշտպան", "պաշտպանի", "պաշտպանված"}},
  });
}

TEST(RussianInflection, KnowsNounsAndAdjectives) {
  expect_forms({
      {"образование",
       {"образования", "образованию", "образованием", "образовании", "ОБРАЗОВАНИЙ"},
       {"образованный", "образец", "преобразование"}},
      {"школа", {"школы", "школе", "школу", "школой", "школ", "школам"}, {"школьный"}},
      {"закон", {"закона", "законом", "законов", "законы"}, {"законный", "законодательство"}},
      {"полиция", {"полиции", "полицией"}, {"полицейский"}},
      {"научный", {"научная", "научного", "научных", "научными"}, {"наука", "науки"}},
      {"медицинский", {"медицинская", "медицинского", "медицинских"}, {"медицина"}},
      {"ребенок", {"ребёнок", "ребёнка", "дети", "детей"}, {"ребро"}},
      {"рынок", {"рынка", "рынки", "рынков"}, {"рыночный"}},
      {"область", {"области", "областью", "областей"}, {"областной"}},
      {"музей", {"музея", "музеев", "музеями"}, {"музейный"}},
  });
}

TEST(LatinInflection, KnowsPluralsAndIgnoresAccents) {
  expect_forms({
      {"school", {"School", "schools"}, {"scholar", "schooling"}},
      {"city", {"cities"}, {"citizen"}},
      {"tax", {"taxes"}, {"taxi", "taxation"}},
      {"child", {"children"}, {"childhood"}},
      {"roads", {"road"}, {"roadside"}},
      {"form", {"forms"}, {"former", "format"}},
      {"éducation", {"education", "ÉDUCATION", "educations"}, {"educational", "éducatif"}},
      {"national", {"nationale", "nationaux", "nationales"}, {"nation", "nations"}},
      {"bureau", {"bureaux"}, {"bureaucratie"}},
      {"público", {"publica", "públicos"}, {"publicidad"}},
      {"nación", {"naciones"}, {"nacional"}},
      {"Schule", {"Schulen"}, {"Schüler"}},
      {"Universität", {"Universitäten", "universitat"}, {"universum"}},
  });
}

TEST(LatinInflection, KnowsVerbsAndIsSureWhereTheConsonantDoubles) {
  expect_forms({
      {"run", {"running", "runs"}, {"runner", "rung"}},
      {"plan", {"planning", "planned"}, {"plane", "planing"}},
      {"stop", {"stopped", "stopping"}, {"stoppage"}},
  });
  for (const auto& [verb, form] : std::vector<std::pair<std::string, std::string>>{
           {"teach", "teaching"}, {"share", "sharing"}, {"build", "building"}})
    EXPECT_TRUE(balanced(verb).match(form).has_value()) << form;
  // A pattern is taken as it is: who asks for buildings does not mean to build.
  EXPECT_FALSE(balanced("building").match("build").has_value());
  EXPECT_FALSE(balanced("string").match("str").has_value());
}

TEST(GreekInflection, KnowsNounsAndAdjectives) {
  expect_forms({
      {"εκπαίδευση", {"εκπαίδευσης", "εκπαιδεύσεις", "εκπαιδεύσεων", "ΕΚΠΑΙΔΕΥΣΗ"}, {"εκπαιδευτικός"}},
      {"σχολείο", {"σχολείου", "σχολεία", "σχολείων"}, {"σχολικός", "σχολή"}},
      {"δρόμος", {"δρόμου", "δρόμοι", "δρόμων", "δρόμους"}, {"δρομολόγιο"}},
      {"πρόγραμμα", {"προγράμματος", "προγράμματα", "προγραμμάτων"}, {"προγραμματισμός"}},
      {"χώρα", {"χώρας", "χώρες", "χωρών"}, {"χώρος", "χωριό"}},
      {"έτος", {"έτους", "έτη", "ετών"}, {"ετήσιος"}},
      {"μαθητής", {"μαθητή", "μαθητές", "μαθητών"}, {"μάθημα"}},
      {"παιδί", {"παιδιού", "παιδιά", "παιδιών"}, {"παιδεία"}},
      {"δημόσιος", {"δημόσια", "δημόσιο", "δημόσιας", "δημοσίων"}, {"δημοσίευση"}},
      {"τεχνικός", {"τεχνική", "τεχνικές", "τεχνικών"}, {"τέχνη"}},
  });
}

TEST(GreekInflection, LeadsFromAnyFormBackToTheWord) {
  for (const auto& [pattern, value] : std::vector<std::pair<std::string, std::string>>{
           {"σχολείων", "σχολείο"}, {"προγράμματα", "πρόγραμμα"}, {"χώρες", "χώρα"}})
    EXPECT_TRUE(balanced(pattern).match(value).has_value()) << pattern << " does not find " << value;
}

TEST(TurkishInflection, KnowsSuffixesWhereALetterShowsTheLanguage) {
  expect_forms({
      {"eğitim",
       {"EĞİTİM", "egitim", "eğitimi", "eğitimin", "eğitimde", "eğitimden", "eğitimler", "eğitimlerin"},
       {"eğitimci", "eğitmen"}},
      {"sağlık", {"sağlığı", "sağlıkta", "SAĞLIK"}, {"sağlam"}},
      {"İSTANBUL", {"istanbul", "ISTANBUL", "ıstanbul", "İstanbul'un", "İstanbul’da"}, {"istanbullu"}},
      {"okul", {"okulları"}, {"okuma"}},
  });
}

// Words whose letters do not show that they are Turkish.
TEST(TurkishInflection, KnowsThePluralByVowelHarmony) {
  expect_forms({
      {"okul", {"okullar", "okullarda", "okullarin"}, {"okuldas"}},
      {"kitap", {"kitaplar", "kitaplardan"}, {"kitapci"}},
      {"plan", {"planlar"}, {"planler"}},
  });
  // Other languages have words of this form, so the caller decides.
  EXPECT_TRUE(balanced("bilim").match("bilimler").has_value());
  EXPECT_TRUE(balanced("merkez").match("merkezlerin").has_value());
  expect_forms({{"tisch", {}, {"tischler"}}, {"hand", {}, {"handler"}}});
  EXPECT_FALSE(balanced("hand").match("handler").has_value());
}

TEST(TurkishInflection, LeavesOtherLanguagesAlone) {
  expect_forms({{"plan", {"plan", "plans"}, {"plana", "plani", "planda"}},
                {"car", {"cars"}, {"care", "cari", "carda"}}});
}

}  // namespace
}  // namespace sluice::text
