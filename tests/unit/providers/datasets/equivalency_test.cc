#include <filesystem>
#include <fstream>
#include <sstream>

#include "data_server.h"
#include "outcome.h"

namespace sluice::datasets::testing {
namespace {

DataServer server_with(const std::string& file) {
  DataServerOptions options;
  options.analysis_tools = true;
  options.equivalencies = file;
  return DataServer::budget(options);
}

constexpr std::string_view kVocational =
    R"({"equivalency_map":{"vocational":[{"year":2024,"code":"1206"},{"year":2025,"program_code":1240}]},"description":"d"})";

std::string content_of(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

TEST(Equivalencies, AreKeptForTheNextProgramAndUsed) {
  TestFolder folder;
  const std::string file = folder.path() + "/equivalencies.json";
  {
    DataServer server = server_with(file);
    const WireMessage answer(server.call("register_program_equivalency", kVocational));
    EXPECT_EQ(answer.text({"success"}), "true");
    EXPECT_EQ(answer.text({"registered"}), "2");
    EXPECT_EQ(answer.text({"concept_ids", 0}), "vocational");
  }
  DataServer server = server_with(file);
  const WireMessage all(server.call("get_program_equivalencies", "{}"));
  EXPECT_EQ(all.text({"count"}), "1");
  EXPECT_EQ(all.text({"equivalencies", "vocational", "mappings", 1, "code"}), "1240");
  EXPECT_EQ(all.text({"equivalencies", "vocational", "mappings", 1, "year"}), "2025");
  const WireMessage found(
      server.call("find_program_across_years_robust",
                  R"({"reference_year":2024,"reference_program_code":"1206","search_years":[2025]})"));
  EXPECT_EQ(found.text({"matches", "2025", "exact_matches", 0, "match_reason"}), "registered");
  EXPECT_EQ(found.text({"matches", "2025", "exact_matches", 0, "program", "program_code"}), "1240");
}

TEST(Equivalencies, AreRefusedWhereTheServerKeepsNone) {
  DataServer server = server_with("");
  EXPECT_EQ(outcome(server, "register_program_equivalency", kVocational).code, "read_only");
  EXPECT_EQ(WireMessage(server.call("get_program_equivalencies", "{}")).text({"count"}), "0");
}

TEST(Equivalencies, AreNotReplacedUnlessTheCallSaysSo) {
  TestFolder folder;
  DataServer server = server_with(folder.path() + "/e.json");
  EXPECT_EQ(outcome(server, "register_program_equivalency", kVocational).code, "");
  EXPECT_EQ(outcome(server, "register_program_equivalency", kVocational).code, "equivalency_exists");
  const std::string replacing =
      std::string(kVocational).substr(0, kVocational.size() - 1) + R"(,"replace":true})";
  EXPECT_EQ(outcome(server, "register_program_equivalency", replacing).code, "");
}

TEST(Equivalencies, RefuseWhatIsNoMapping) {
  TestFolder folder;
  const std::string file = folder.path() + "/e.json";
  DataServer server = server_with(file);
  for (const char* map : {R"({})", R"({"a":[]})", R"({"a":1})", R"({"a":[{"year":2024,"code":"1"}]})",
                          R"({"a":[{"year":2024},{"year":2025,"code":"1"}]})",
                          R"({"":[{"year":2024,"code":"1"},{"year":2025,"code":"1"}]})",
                          R"({"a\u0000b":[{"year":2024,"code":"1"},{"year":2025,"code":"1"}]})",
                          R"({"a":[{"year":2024,"code":{"x":1}},{"year":2025,"code":"1"}]})"}) {
    EXPECT_EQ(
        outcome(server, "register_program_equivalency", R"({"equivalency_map":)" + std::string(map) + "}")
            .code,
        "invalid_equivalency")
        << map;
  }
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Equivalencies, AreBoundedInNumber) {
  TestFolder folder;
  DataServer server = server_with(folder.path() + "/e.json");
  std::string code;
  for (int call = 0; call < 11 && code.empty(); ++call) {
    std::string map;
    for (int i = 0; i < 100; ++i) {
      map += std::string(map.empty() ? "" : ",") + "\"c" + std::to_string(call * 100 + i) +
             R"(":[{"year":2024,"code":"1"},{"year":2025,"code":"2"}])";
    }
    code = outcome(server, "register_program_equivalency", R"({"equivalency_map":{)" + map + "}}").code;
  }
  EXPECT_EQ(code, "too_many_values");
  std::uint64_t offset = 0;
  std::uint64_t seen = 0;
  while (true) {
    const std::string text =
        server.text("get_program_equivalencies", R"({"offset":)" + std::to_string(offset) + "}");
    EXPECT_LE(text.size(), 32'000U);
    const WireMessage page(
        server.call("get_program_equivalencies", R"({"offset":)" + std::to_string(offset) + "}"));
    ASSERT_GT(page.size({"equivalencies"}), 0U);
    seen += page.size({"equivalencies"});
    if (!page.has({"next_offset"})) break;
    offset = std::stoull(page.text({"next_offset"}));
  }
  EXPECT_EQ(seen, 1'000U);
}

TEST(Equivalencies, OfABrokenFileAreLeftAlone) {
  TestFolder folder;
  folder.write("e.json", "{\"equivalencies\": [1");
  const Result<std::shared_ptr<EquivalencyStore>> store = EquivalencyStore::open(folder.path() + "/e.json");
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code, "unreadable_equivalencies");
  EXPECT_EQ(content_of(folder.path() + "/e.json"), "{\"equivalencies\": [1");
  EXPECT_EQ(EquivalencyStore::open(folder.path() + "/none/e.json").error().code, "folder_not_found");
}

TEST(Equivalencies, ThatCannotBeKeptAreNotRegistered) {
  TestFolder folder;
  folder.write("state/none", "");
  DataServer server = server_with(folder.path() + "/state/e.json");
  std::filesystem::remove_all(folder.path() + "/state");
  EXPECT_EQ(outcome(server, "register_program_equivalency", kVocational).code, "equivalencies_not_kept");
  EXPECT_EQ(WireMessage(server.call("get_program_equivalencies", "{}")).text({"count"}), "0");
}

}  // namespace
}  // namespace sluice::datasets::testing
