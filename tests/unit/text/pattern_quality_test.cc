// How well balanced matching finds the words that people ask for, measured on the budget files.
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/text/pattern_set.h"

#include "csv_records.h"
#include "test_files.h"

namespace sluice::text {
namespace {

constexpr std::array<std::string_view, 3> kColumns = {"state_body", "program_name", "subprogram_name"};
constexpr double kQualityMin = 0.95;

using Cell = std::pair<std::string, std::string>;  // Column and value.

// Every distinct value of the three columns in all files.
std::set<Cell> distinct_cells() {
  std::set<Cell> cells;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test_data_folder("budget/processed"))) {
    if (entry.path().extension() != ".csv") continue;
    ++files;
    const auto records = csv_records(test_data("budget/processed/" + entry.path().filename().string()));
    for (std::size_t column = 0; column < records.front().size(); ++column) {
      const std::string& name = records.front()[column];
      if (std::find(kColumns.begin(), kColumns.end(), name) == kColumns.end()) continue;
      for (std::size_t i = 1; i < records.size(); ++i) cells.emplace(name, records[i][column]);
    }
  }
  EXPECT_EQ(files, 9U);
  return cells;
}

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\t') {
      fields.emplace_back();
      continue;
    }
    const bool escaped = line[i] == '\\' && i + 1 < line.size();
    if (escaped) ++i;
    fields.back().push_back(escaped && line[i] == 'n' ? '\n' : line[i]);
  }
  return fields;
}

using Labels = std::map<Cell, std::string>;

// The labels of each concept.
std::map<std::string, Labels> labelled_concepts() {
  std::map<std::string, Labels> concepts;
  const std::string text = test_data("patterns/armenian.tsv");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    if (line.starts_with('#')) continue;
    const std::vector<std::string> fields = fields_of(line);
    EXPECT_EQ(fields.size(), 4U) << line;
    concepts[fields[0]][{fields[1], fields[3]}] = fields[2];
  }
  return concepts;
}

struct Score {
  std::size_t right = 0;   // Found, and rightly.
  std::size_t wrong = 0;   // Found, and not of the word.
  std::size_t missed = 0;  // Of the word, and not found.

  double precision() const { return right + wrong == 0 ? 1 : double(right) / double(right + wrong); }
  double recall() const { return right + missed == 0 ? 1 : double(right) / double(right + missed); }
  void add(const Score& other) {
    right += other.right;
    wrong += other.wrong;
    missed += other.missed;
  }
};

Score score_of(const std::string& pattern, const Labels& labels, const std::set<Cell>& cells) {
  const std::vector<std::string> patterns{pattern};
  const Result<PatternSet> set = PatternSet::compile(patterns, Mode::kBalanced);
  EXPECT_TRUE(set.ok()) << pattern;
  Score score;
  for (const Cell& cell : cells) {
    const auto label = labels.find(cell);
    if (label != labels.end() && label->second == "misspelt") continue;
    const bool is_right = label != labels.end() && label->second == "1";
    const std::optional<Match> match = set->match(cell.second);
    if (match && !is_right)
      std::printf("  %s: wrong %s in %s\n", pattern.c_str(), match->text.c_str(), cell.second.c_str());
    if (!match && is_right) std::printf("  %s: missed %s\n", pattern.c_str(), cell.second.c_str());
    score.right += match && is_right ? 1U : 0U;
    score.wrong += match && !is_right ? 1U : 0U;
    score.missed += !match && is_right ? 1U : 0U;
  }
  return score;
}

void print(const std::string& name, const Score& score) {
  std::printf("%-10.3f %-10.3f %4zu right %3zu wrong %3zu missed  %s\n", score.precision(), score.recall(),
              score.right, score.wrong, score.missed, name.c_str());
}

TEST(PatternQuality, EveryLabelledValueIsInTheData) {
  const std::set<Cell> cells = distinct_cells();
  for (const auto& [concept_name, labels] : labelled_concepts())
    for (const auto& [cell, label] : labels)
      EXPECT_TRUE(cells.contains(cell)) << concept_name << ": " << cell.second;
}

TEST(PatternQuality, BalancedFindsTheFormsOfAWordAndNoOtherWord) {
  const std::set<Cell> cells = distinct_cells();
  Score overall;
  std::size_t concepts = 0;
  std::printf("precision  recall\n");
  for (const auto& [pattern, labels] : labelled_concepts()) {
    const Score score = score_of(pattern, labels, cells);
    print(pattern, score);
    EXPECT_GE(score.precision(), kQualityMin) << pattern;
    EXPECT_GE(score.recall(), kQualityMin) << pattern;
    EXPECT_GT(score.right, 0U) << pattern;
    overall.add(score);
    ++concepts;
  }
  print("overall", overall);
  EXPECT_GE(concepts, 40U);
  EXPECT_GE(overall.precision(), kQualityMin);
  EXPECT_GE(overall.recall(), kQualityMin);
}

// People paste a word as they saw it.
TEST(PatternQuality, AnInflectedPatternFindsTheSameValues) {
  const std::set<Cell> cells = distinct_cells();
  const auto concepts = labelled_concepts();
  const std::vector<std::pair<std::string, std::string>> inflected = {
      {"կրթության", "կրթություն"},  {"ԳԻՏՈՒԹՅԱՄԲ", "գիտություն"},
      {"ճանապարհների", "ճանապարհ"}, {"դատարաններում", "դատարան"},
      {"երեխաներին", "երեխա"},      {"ոռոգման", "ոռոգում"},
      {"մարդկանց", "մարդ"},         {"քաղաքացիների", "քաղաքացի"},
      {"դպրոցների", "դպրոց"},       {"շրջակա միջավայրի", "շրջակա միջավայր"}};
  for (const auto& [pattern, lemma] : inflected) {
    const Score score = score_of(pattern, concepts.at(lemma), cells);
    print(pattern, score);
    EXPECT_GE(score.precision(), kQualityMin) << pattern;
    EXPECT_GE(score.recall(), kQualityMin) << pattern;
  }
}

}  // namespace
}  // namespace sluice::text
