#include "sluice/commands/check.h"

#include <algorithm>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>

#include "sluice/json/reader.h"

#include "temp_folder.h"

namespace sluice::commands {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;

std::vector<wiring::CheckLine> run(const CheckRequest& request) {
  return check(request, [](const std::string&) { return std::nullopt; });
}

auto failed(const std::string& finding) {
  return AllOf(Field(&wiring::CheckLine::ok, false), Field(&wiring::CheckLine::finding, HasSubstr(finding)));
}
auto fine(const std::string& finding) {
  return AllOf(Field(&wiring::CheckLine::ok, true), Field(&wiring::CheckLine::finding, HasSubstr(finding)));
}
const auto kIsOk = Field(&wiring::CheckLine::ok, true);

TEST(Check, CountsTheDatasetsOfACollection) {
  const fs::TempFolder folder;
  folder.write("sluice.yaml", "collections: [ { preset: budget, path: " SLUICE_BUDGET_DATA "/processed } ]");
  const std::vector<wiring::CheckLine> lines = run({.sources = {folder.path() + "/sluice.yaml"}});
  EXPECT_THAT(lines, Each(kIsOk));
  EXPECT_THAT(lines, Contains(fine("9 datasets, 9 of them readable")));
}

TEST(Check, RefusesTokensThatServeRefuses) {
  const fs::TempFolder folder;
  folder.write("sluice.yaml", "server: { tokens: [ { name: ann, env: TOKEN } ] }");
  const auto lines = [&](const std::string& secret) {
    return check({.sources = {folder.path() + "/sluice.yaml"}},
                 [&](const std::string&) { return std::optional(secret); });
  };
  EXPECT_THAT(lines("short"), Contains(failed("at least 16 characters: ann")));
  EXPECT_THAT(lines("long enough to be one"), Each(kIsOk));
}

TEST(Check, NamesTheFilesThatCannotBeReadAndWhy) {
  const fs::TempFolder folder;
  folder.write("good.csv", "a\n1\n");
  folder.write("broken.parquet", "PAR1");
  folder.write("deep.json", std::string(30'000, '[') + std::string(30'000, ']'));
  const std::vector<wiring::CheckLine> lines = run({.sources = {folder.path()}});
  EXPECT_THAT(lines, Contains(fine("3 datasets, 1 of them readable, 1 rows")));
  EXPECT_THAT(lines, Contains(failed("broken.parquet: ")));
  EXPECT_THAT(lines, Contains(failed("nested more than 50 levels deep")));
}

TEST(Check, FindsFoldersThatAreEmptyOrMissing) {
  const fs::TempFolder folder;
  EXPECT_THAT(run({.sources = {folder.path()}}), Contains(failed("no file that can be read")));
  folder.write("sluice.yaml", "collections: [ { path: \"missing/{x}.csv\" } ]");
  EXPECT_THAT(run({.sources = {folder.path() + "/sluice.yaml"}}), Contains(failed("missing: No such file")));
}

TEST(Check, SaysOfEachFolderOfFilesWhatItHas) {
  const fs::TempFolder folder;
  folder.write("docs/a.md", "A");
  folder.write("docs/deep/b.md", "B");
  folder.write("docs/.hidden", "x");
  folder.write("sluice.yaml", "files: [ { path: docs }, { path: gone, name: missing } ]");
  const std::vector<wiring::CheckLine> lines = run({.sources = {folder.path() + "/sluice.yaml"}});
  EXPECT_THAT(
      lines, Contains(AllOf(fine("2 files in 2 folders"), Field(&wiring::CheckLine::subject, "files docs"))));
  EXPECT_THAT(lines,
              Contains(AllOf(failed("No such file"), Field(&wiring::CheckLine::subject, "files missing"))));
}

TEST(Check, SaysOfEachRepositoryWhatItHasOrWhyItIsNotServed) {
  const fs::TempFolder folder;
  folder.write("repo/.git/HEAD", "ref: refs/heads/main\n");
  folder.make_folder("repo/.git/objects");
  folder.make_folder("repo/.git/refs");
  folder.write("worktree/.git", "gitdir: ../repo/.git\n");
  folder.write("sluice.yaml", "git: [ { path: repo }, { path: worktree }, { path: gone } ]");
  const std::vector<wiring::CheckLine> lines = run({.sources = {folder.path() + "/sluice.yaml"}});
  EXPECT_THAT(lines, Contains(AllOf(fine("on main, 0 branches, 0 tags"),
                                    Field(&wiring::CheckLine::subject, "git repo"))));
  EXPECT_THAT(lines, Contains(AllOf(failed("leads to another folder"),
                                    Field(&wiring::CheckLine::subject, "git worktree"))));
  EXPECT_THAT(lines, Contains(AllOf(failed("No such file"), Field(&wiring::CheckLine::subject, "git gone"))));
}

TEST(Check, SaysOfEachApiWhetherItCanBeReached) {
  const fs::TempFolder folder;
  folder.write("sluice.yaml", R"(
apis:
  - { name: closed, base: "http://127.0.0.1:1/secret-path", headers: { X: secret }, allow_private: true }
  - { name: inside, base: "http://127.0.0.1:1/" })");
  const std::vector<wiring::CheckLine> lines = run({.sources = {folder.path() + "/sluice.yaml"}});
  EXPECT_THAT(lines,
              Contains(AllOf(failed("connect_failed"), Field(&wiring::CheckLine::subject, "api closed"))));
  EXPECT_THAT(lines,
              Contains(AllOf(failed("address_refused"), Field(&wiring::CheckLine::subject, "api inside"))));
  for (const wiring::CheckLine& line : lines)
    EXPECT_EQ(line.finding.find("secret"), std::string::npos) << line.finding;
}

class Cards : public testing::Test {
 protected:
  Cards() {
    folder_.write("data/a.csv", "code,total\nx,1\ny,2\n");
    folder_.write("sluice.yaml",
                  "collections: [ { path: data, unit: EUR, roles: { amount: [ none, total ] } } ]");
  }
  std::vector<wiring::CheckLine> compare() { return run({.sources = {config_}, .cards = true}); }
  std::vector<wiring::CheckLine> write() {
    return run({.sources = {config_}, .cards = true, .write_cards = true});
  }

  fs::TempFolder folder_;
  std::string config_ = folder_.path() + "/sluice.yaml";
};

TEST_F(Cards, AreNotRequired) { EXPECT_THAT(compare(), Each(kIsOk)); }

TEST_F(Cards, SayWhatTheDatasetHolds) {
  EXPECT_THAT(write(), Each(kIsOk));
  const json::Value card = json::read(folder_.read("data/a.schema.json")).value();
  EXPECT_EQ(
      json::to_text(card),
      R"({"dataset":"a","rows":2,"unit":"EUR","roles":{"amount":"total"},)"
      R"("columns":[{"name":"code","dtype":"String"},{"name":"total","dtype":"Int64","role":"amount"}]})");
  EXPECT_THAT(compare(), Each(kIsOk));
}

TEST_F(Cards, AreComparedWithTheData) {
  write();
  folder_.write("data/a.csv", "code,total\nx,1.5\ny,2\n");
  EXPECT_THAT(compare(), Contains(failed("columns[1].dtype is \"Int64\", the data \"Float64\"")));
  folder_.write("data/a.csv", "code\nx\n");
  EXPECT_THAT(compare(), Contains(failed("columns: 2, the data 1")));
  folder_.write("data/a.schema.json", "not JSON");
  EXPECT_THAT(compare(), Contains(failed("read card")));
}

TEST_F(Cards, KeepWhatPeopleWroteIntoThem) {
  folder_.write("data/a.schema.json",
                R"({"source":"ours","columns":[{"name":"code","description":"Of the shop"}]})");
  EXPECT_THAT(write(), Each(kIsOk));
  const std::string card = folder_.read("data/a.schema.json");
  EXPECT_THAT(card, HasSubstr(R"({"name":"code","dtype":"String","description":"Of the shop"})"));
  EXPECT_THAT(card, HasSubstr(R"("source": "ours")"));
  EXPECT_THAT(compare(), Each(kIsOk));
  const auto written = std::filesystem::last_write_time(folder_.at("data/a.schema.json"));
  write();
  EXPECT_EQ(std::filesystem::last_write_time(folder_.at("data/a.schema.json")), written);
}

}  // namespace
}  // namespace sluice::commands
