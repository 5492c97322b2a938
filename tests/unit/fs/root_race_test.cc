#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "sluice/fs/root.h"

#include "swapper.h"
#include "temp_folder.h"

namespace sluice::fs {
namespace {

class RootRace : public testing::TestWithParam<RootOptions> {
 protected:
  // Opens `path` for about half a second and fails if it ever leads outside.
  static void expect_never_outside(const Root& root, const Swapper& swapper, const std::string& path) {
    unsigned inside = 0;
    const auto begin = std::chrono::steady_clock::now();
    const auto elapsed = [&] { return std::chrono::steady_clock::now() - begin; };
    // On a busy machine it takes longer until both sides have had their turns.
    const auto is_fair = [&] { return inside > 0 && swapper.swaps() >= 100; };
    while (elapsed() < std::chrono::milliseconds(500) ||
           (!is_fair() && elapsed() < std::chrono::seconds(20))) {
      if (const auto file = root.open_beneath(path); file.ok()) {
        ASSERT_EQ(*file->read_all(100), "inside");
        ++inside;
      }
      if (const auto entry = root.stat(path); entry.ok()) {
        ASSERT_EQ(entry->bytes, std::string("inside").size());
      }
    }
    EXPECT_GT(inside, 0U);
  }
};

INSTANTIATE_TEST_SUITE_P(Options, RootRace,
                         testing::Values(RootOptions{Symlinks::kInside, Resolution::kKernel},
                                         RootOptions{Symlinks::kRefuse, Resolution::kKernel},
                                         RootOptions{Symlinks::kInside, Resolution::kComponents}));

TEST_P(RootRace, ASwappedFolderLeadsNowhereElse) {
  const TempFolder folder;
  folder.write("outside/file", "this is secret");
  folder.write("root/x/file", "inside");
  folder.link("../outside", "root/evil");
  const Root root = Root::open(folder.path() + "/root", GetParam()).value();
  const Swapper swapper(folder.at("root/x"), folder.at("root/evil"));
  expect_never_outside(root, swapper, "x/file");
}

TEST_P(RootRace, ASwappedFileLeadsNowhereElse) {
  const TempFolder folder;
  folder.write("outside/file", "this is secret");
  folder.write("root/x/file", "inside");
  folder.link("../../outside/file", "root/x/evil");
  const Root root = Root::open(folder.path() + "/root", GetParam()).value();
  const Swapper swapper(folder.at("root/x/file"), folder.at("root/x/evil"));
  expect_never_outside(root, swapper, "x/file");
}

}  // namespace
}  // namespace sluice::fs
