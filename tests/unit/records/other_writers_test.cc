// Files of other writers: rewritten with types and values as they were, or refused.

#include <cstdio>
#include <filesystem>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/engine/type.h"

#include "record_folder.h"

namespace sluice::records::testing {
namespace {

std::string columns_of(Store& store) {
  std::string out;
  const Result<View> view = type_of(store, "things")->view({});
  if (!view.ok()) return view.error().code;
  for (const engine::Field& column : view->columns)
    out += column.name + " " + engine::sql_name(column.type) + ", ";
  return out;
}

TEST(OtherWriters, FilesComeBackFromARewriteAsTheyWereOrAreRefused) {
  std::set<std::string> rewritten;
  std::set<std::string> refused;
  const std::filesystem::path samples = std::string(SLUICE_TEST_DATA) + "/parquet-testing";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(samples)) {
    if (entry.path().extension() != ".parquet") continue;
    const std::string name = entry.path().filename().string();
    SCOPED_TRACE(name);
    const RecordFolder records;
    records.folder().make_folder("things");
    const std::filesystem::path file = records.folder().at("things/things.parquet");
    std::filesystem::copy_file(entry.path(), file);
    const auto store = records.open();
    const std::string bytes = records.folder().read("things/things.parquet");
    const std::string before = records_of(*store, "things");
    const std::string columns = columns_of(*store);
    MutationOptions all;
    all.all_rows = true;
    const auto removed = delete_records(*type_of(*store, "things"), {}, all, {});
    if (!removed.ok()) {
      EXPECT_FALSE(removed.error().code.empty());
      EXPECT_EQ(records.folder().read("things/things.parquet"), bytes);
      refused.insert(name + ": " + removed.error().code);
      continue;
    }
    ASSERT_TRUE(store->fold_all().ok());
    EXPECT_EQ(records_of(*store, "things"), "[]");
    Operation operation;
    operation.kind = "restore";
    operation.id = "0123456789abcdef";
    ASSERT_TRUE(type_of(*store, "things")->restore(0, operation, {}).ok());
    EXPECT_EQ(records_of(*store, "things"), before);
    EXPECT_EQ(columns_of(*store), columns);
    // And once more through the journal: deleted one by one, brought back as one.
    const auto again = delete_records(*type_of(*store, "things"), {}, all, {});
    ASSERT_TRUE(again.ok());
    rewritten.insert(name);
  }
  std::printf("%zu files rewritten as they were, %zu refused\n", rewritten.size(), refused.size());
  for (const std::string& one : refused) std::printf("  %s\n", one.c_str());
  EXPECT_GE(rewritten.size(), 40U);
}

}  // namespace
}  // namespace sluice::records::testing
