// What changed between two versions of a data type.

#include <set>
#include <string>

#include <gmock/gmock.h>

#include "records_server.h"

namespace sluice::records_provider::testing {
namespace {

class Diff : public ::testing::Test {
 protected:
  Diff() {
    folder_.make_tasks();
    server_ = std::make_unique<RecordServer>(folder_, Budget{}, Access::kWritable);
    server_->answer(
        "update_records",
        R"({"data_type":"tasks","filters":{"task_id":"t1"},"updates":{"title":"One","status":null}})");
    server_->answer("delete_records", R"({"data_type":"tasks","filters":{"task_id":"t2"}})");
    server_->answer("add_record",
                    R"({"data_type":"tasks","record":{"task_id":"t7","title":"Seven","estimate":2.5}})");
  }
  WireMessage diff(const std::string& arguments) {
    return server_->answer("diff_versions", R"({"data_type":"tasks",)" + arguments + "}");
  }

  RecordFolder folder_;
  std::unique_ptr<RecordServer> server_;
};

TEST_F(Diff, ShowsRecordsThatWereAddedRemovedAndChanged) {
  const WireMessage all = diff(R"("from_version":0)");
  EXPECT_EQ(all.text({"added"}), "1");
  EXPECT_EQ(all.text({"removed"}), "1");
  EXPECT_EQ(all.text({"changed"}), "1");
  EXPECT_EQ(all.text({"to_version"}), "3");
  EXPECT_EQ(json::to_text(all.at({"columns_added"})), R"(["estimate"])");
  EXPECT_EQ(all.text({"data", 0}),
            R"({"change":"changed","record_id":"t1","before":{"title":"Pay rent","status":"open"},)"
            R"("after":{"title":"One","status":null}})");
  EXPECT_EQ(each(all.at({"data"}), "change"), "changed removed added");
  EXPECT_EQ(all.text({"data", 2, "after"}), R"({"task_id":"t7","title":"Seven","estimate":2.5})");
}

TEST_F(Diff, ComparesAnyTwoVersionsInEitherDirection) {
  EXPECT_EQ(diff(R"("from_version":1,"to_version":2)").text({"removed"}), "1");
  EXPECT_EQ(diff(R"("from_version":2,"to_version":1)").text({"added"}), "1");
  EXPECT_EQ(diff(R"("from_version":2,"to_version":2)").text({"total_changes"}), "0");
  EXPECT_EQ(json::to_text(diff(R"("from_version":3,"to_version":0)").at({"columns_removed"})),
            R"(["estimate"])");
  ASSERT_TRUE(server_->store().fold_all().ok());
  EXPECT_EQ(diff(R"("from_version":0)").text({"total_changes"}), "3");
}

TEST_F(Diff, IsReadInPages) {
  std::string seen;
  std::string offset = "0";
  for (int page = 0; page < 10; ++page) {
    const WireMessage part = diff(R"("from_version":0,"limit":1,"offset":)" + offset);
    seen += each(part.at({"data"}), "record_id") + " ";
    if (part.text({"has_more"}) != "true") break;
    offset = part.text({"next_offset"});
  }
  EXPECT_EQ(seen, "t1 t2 t7 ");
}

TEST_F(Diff, GoesOnBehindWhatACapLeftOfAPage) {
  RecordFolder folder;
  folder.make("notes", "SELECT range::VARCHAR AS note_id, 'old' AS title FROM range(60)");
  RecordServer server(folder, Budget{.bytes = 6'000}, Access::kWritable);
  server.answer("update_records",
                R"({"data_type":"notes","filters":{},"all_rows":true,"updates":{"title":")" +
                    std::string(500, 'x') + "\"}}");
  std::set<std::string> seen;
  std::size_t shown = 0;
  std::string offset = "0";
  int pages = 0;
  for (; pages < 60; ++pages) {
    const WireMessage part =
        server.answer("diff_versions", R"({"data_type":"notes","from_version":0,"offset":)" + offset + "}");
    for (const json::Value& row : *part.at({"data"}).if_array()) {
      seen.insert(*row.find("record_id")->if_string());
      ++shown;
    }
    if (part.text({"has_more"}) != "true") break;
    offset = part.text({"next_offset"});
  }
  EXPECT_EQ(seen.size(), 60U);
  EXPECT_EQ(shown, 60U);
  EXPECT_GT(pages, 2);
}

TEST_F(Diff, RefusesWhatCannotBeCompared) {
  EXPECT_EQ(server_->code("diff_versions", R"({"data_type":"tasks","from_version":9})"), "unknown_version");
  folder_.make("twins", "SELECT * FROM (VALUES ('a', 1), ('a', 2)) t(twin_id, n)");
  EXPECT_EQ(server_->code("diff_versions", R"({"data_type":"twins","from_version":0})"), "no_id_column");
  folder_.make("plain", "SELECT 1 AS n");
  EXPECT_EQ(server_->code("diff_versions", R"({"data_type":"plain","from_version":0})"), "no_id_column");
}

}  // namespace
}  // namespace sluice::records_provider::testing
