// Names of tools that every host takes.

#include "sluice/gateway/name_table.h"

#include <algorithm>

#include <gmock/gmock.h>

namespace sluice::gateway {
namespace {

using Thing = NameTable::Thing;
using ::testing::ElementsAre;

std::vector<std::string> names(const NameTable& table) {
  std::vector<std::string> out;
  for (const auto& [name, thing] : table.listed()) out.push_back(name);
  return out;
}

TEST(NameTable, ListsWithADotAndTakesBoth) {
  const NameTable table({{"fs", "read_file"}, {"fs", "resources_list", true}}, NameStyle::kDotted);
  EXPECT_THAT(names(table), ElementsAre("fs.read_file", "fs.resources_list"));
  EXPECT_EQ(table.listed_name("fs_read_file"), "fs.read_file");
  EXPECT_EQ(table.listed_name("fs_nothing"), "");
}

TEST(NameTable, ListsSafelyAndTakesBoth) {
  const NameTable table({{"a", "b.echo"}}, NameStyle::kSafe);
  EXPECT_THAT(names(table), ElementsAre("a_b_echo"));
  EXPECT_EQ(table.listed_name("a.b.echo"), "a_b_echo");
}

TEST(NameTable, GivesTheSameNamesInWhateverOrder) {
  std::vector<Thing> things{
      {"fs", "a b"}, {"fs", "a_b"}, {"fs", "a\nb"}, {"fs", "resources_read"}, {"fs", "resources_read", true}};
  const NameTable first(things, NameStyle::kDotted);
  std::reverse(things.begin(), things.end());
  const NameTable second(things, NameStyle::kDotted);
  EXPECT_EQ(names(first), names(second));
  ASSERT_EQ(names(first).size(), 5U);
  EXPECT_EQ(first.find("fs.a_b")->name, "a_b") << "what needs no change keeps its name";
  EXPECT_TRUE(first.find("fs.resources_read")->is_generated);
  for (const std::string& name : names(first)) EXPECT_EQ(first.find(name)->name, second.find(name)->name);
}

TEST(NameTable, RefusesToGuess) {
  const NameTable table({{"a", "b_c"}, {"a_b", "c"}}, NameStyle::kDotted);
  EXPECT_THAT(names(table), ElementsAre("a.b_c", "a_b.c"));
  EXPECT_EQ(table.listed_name("a_b_c"), "");
  const NameTable safe({{"a", "b_c"}, {"a_b", "c"}}, NameStyle::kSafe);
  EXPECT_EQ(names(safe).size(), 2U);
}

TEST(NameTable, KeepsToTheBoundsOfHosts) {
  const std::string long_name(300, 'x');
  for (const auto& [style, bound] : {std::pair(NameStyle::kDotted, 128U), std::pair(NameStyle::kSafe, 64U)}) {
    const NameTable table({{"fs", long_name}, {"fs", long_name + "y"}, {"fs", ""}, {"fs", "\xE2\x80\x8B"}},
                          style);
    EXPECT_EQ(names(table).size(), 4U);
    for (const std::string& name : names(table)) EXPECT_LE(name.size(), bound);
  }
}

}  // namespace
}  // namespace sluice::gateway
