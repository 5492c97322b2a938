// Data types of a store as datasets: what the registry has, and what a statement of another engine reads.
#include "sluice/records_provider/record_datasets.h"

#include <filesystem>

#include <fmt/format.h>

#include "sluice/engine/duckdb.h"
#include "sluice/json/reader.h"
#include "sluice/query/versioned.h"
#include "sluice/records/mutation.h"

#include "records_server.h"

namespace sluice::records_provider::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

json::Object object(std::string_view text) { return *json::read(text).value().if_object(); }

class RecordDatasetsTest : public ::testing::Test {
 protected:
  void open(Access access = Access::kWritable) {
    store_ = records::Store::open({.path = folder_.folder().path(), .writable = access == Access::kWritable})
                 .value();
    datasets_ = std::make_unique<RecordDatasets>(store_, registry_, tables_);
    const Status begun = datasets_->begin();
    EXPECT_TRUE(begun.ok());
  }

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    const query::Inventory inventory = registry_.inventory();
    for (const query::DatasetPtr& dataset : inventory.datasets()) out.push_back(dataset->name());
    return out;
  }
  query::DatasetPtr dataset(const std::string& name = "records/tasks") const {
    return registry_.inventory().find(name);
  }

  // What a statement over the relation gives, its cells as text: "a|b; c|d".
  Result<std::string> read(const query::Relation& relation, const std::string& columns,
                           const std::string& more = "") {
    SLUICE_TRY(
        const std::unique_ptr<engine::Rows> rows,
        engine_->query(
            {.sql = fmt::format("SELECT concat_ws('|', {}) FROM {} {}", columns, relation.sql, more)}, {}));
    std::string out;
    while (true) {
      SLUICE_TRY(const engine::Batch* batch, rows->next());
      if (batch == nullptr) return out;
      for (std::size_t row = 0; row < batch->rows; ++row)
        out += (out.empty() ? "" : "; ") + std::string(batch->columns[0].text(row));
    }
  }
  Result<query::Relation> relation(const query::DatasetPtr& dataset,
                                   const expression::Question* question = nullptr) {
    SLUICE_TRY(const query::Table table, dataset->inspect(*engine_, {}));
    return dataset->open(table, {}, question);
  }
  std::string rows(const std::string& columns, const std::string& name = "records/tasks") {
    const expression::Question shown;
    const Result<query::Relation> opened = relation(dataset(name), &shown);
    if (!opened.ok()) return opened.error().code;
    const Result<std::string> out = read(*opened, columns);
    return out.ok() ? *out : out.error().code;
  }

  Result<query::DatasetPtr> at(std::int64_t version) const {
    const query::DatasetPtr now = dataset();
    return dynamic_cast<const query::Versioned&>(*now).at_version(version, {});
  }

  void add(std::string_view record) { add(*store_, record); }
  static void add(records::Store& store, std::string_view record) {
    const json::Object value = object(record);
    const auto added = records::add_records(*store.find("tasks").value(), nullptr, {&value}, {}, {});
    EXPECT_TRUE(added.ok()) << added.error().message;
  }

  RecordFolder folder_;
  const std::shared_ptr<engine::Sources> tables_ = std::make_shared<engine::Sources>();
  const std::unique_ptr<engine::Engine> engine_ = engine::open_duckdb({.sources = tables_}).value();
  query::Registry registry_;
  std::shared_ptr<records::Store> store_;
  std::unique_ptr<RecordDatasets> datasets_;
};

TEST_F(RecordDatasetsTest, HaveTheirDataTypeAsDimensionAndTheirRowsCounted) {
  folder_.make_tasks();
  open(Access::kReadOnly);
  EXPECT_THAT(names(), ElementsAre("records/tasks"));
  const query::DatasetPtr tasks = dataset();
  EXPECT_THAT(tasks->identity().dimensions, ElementsAre("tasks"));
  EXPECT_EQ(tasks->collection().dimensions.at(0).name, "data_type");
  EXPECT_EQ(tasks->count_state(), query::CountState::kExact);
  EXPECT_EQ(tasks->row_count(), 6);
  EXPECT_EQ(tasks->uri("schema"), "parquet://schemas/tasks");
  EXPECT_TRUE(tasks->is_current());
}

TEST_F(RecordDatasetsTest, AreReadAsTheRecordsAreNow) {
  folder_.make_tasks();
  open();
  EXPECT_EQ(rows("task_id, rank"), "t1|1; t2|2; t3|3; t4|4; t5|5; t6|9007199254740993");
  add(R"({"task_id": "t7", "title": "New"})");
  const json::Object updates = object(R"({"title": "Changed"})");
  ASSERT_TRUE(records::update_records(*store_->find("tasks").value(), nullptr, object(R"({"task_id": "t2"})"),
                                      updates, {}, {})
                  .ok());
  ASSERT_TRUE(
      records::delete_records(*store_->find("tasks").value(), object(R"({"task_id": ["t1", "t3"]})"), {}, {})
          .ok());
  EXPECT_EQ(rows("task_id, title"),
            "t2|Changed; t4|Write report; t5|therapist invoice; t6|Renew passport; t7|New");
  EXPECT_EQ(rows("count(*)"), "5");
  ASSERT_TRUE(store_->fold_all().ok());
  EXPECT_EQ(rows("task_id"), "t2; t4; t5; t6; t7");
}

TEST_F(RecordDatasetsTest, AreRegisteredAnewWithTheNumberOfTheLastOperation) {
  folder_.make_tasks();
  open();
  add(R"({"task_id": "t7"})");
  const query::DatasetPtr first = dataset();
  EXPECT_EQ(first->identity().version, "1");
  EXPECT_EQ(first->row_count(), 7);
  add(R"({"task_id": "t8"})");
  EXPECT_EQ(dataset()->identity().version, "2");
  EXPECT_EQ(dataset()->row_count(), 8);
  EXPECT_FALSE(first->is_current());
  EXPECT_EQ(first->count_state(), query::CountState::kEstimated);
  ASSERT_TRUE(store_->fold_all().ok());  // The same records in another file.
  EXPECT_EQ(dataset()->identity().version, "2");
  EXPECT_TRUE(dataset()->is_current());
}

TEST_F(RecordDatasetsTest, OfAFileThatAnotherProgramReplacesGetAnotherVersion) {
  folder_.make("tasks", "SELECT 'a' AS task_id");
  open(Access::kReadOnly);
  const query::DatasetPtr before = dataset();
  folder_.make("tasks", "SELECT 'b' AS task_id UNION ALL SELECT 'c'");
  EXPECT_FALSE(before->is_current());
  EXPECT_EQ(rows("task_id"), "b; c");
  for (int i = 0; i < 100 && dataset() == before; ++i)
    registry_.wait_past(registry_.inventory(), std::chrono::milliseconds(100));
  EXPECT_NE(dataset()->identity().version, before->identity().version);
  EXPECT_EQ(dataset()->row_count(), 2);
}

TEST_F(RecordDatasetsTest, ShowWhatAnotherStoreHasJustCommitted) {
  folder_.make_tasks();
  open(Access::kReadOnly);
  const auto other =
      records::Store::open({.path = folder_.folder().path(), .writable = true}).value();  // Another process.
  EXPECT_EQ(rows("count(*)"), "6");
  add(*other, R"({"task_id": "t7"})");
  EXPECT_EQ(rows("count(*)"), "7");
}

TEST_F(RecordDatasetsTest, KeepTheStateThatAStatementBeganWith) {
  folder_.make_tasks();
  open();
  add(R"({"task_id": "t7"})");
  const Result<query::Relation> opened = relation(dataset());
  ASSERT_TRUE(opened.ok());
  add(R"({"task_id": "t8"})");
  ASSERT_TRUE(
      records::delete_records(*store_->find("tasks").value(), object(R"({"task_id": "t1"})"), {}, {}).ok());
  ASSERT_TRUE(store_->fold_all().ok());
  EXPECT_EQ(read(*opened, "count(*), min(task_id), max(task_id)").value(), "7|t1|t7");
  EXPECT_EQ(read(*opened, "count(*)", fmt::format("AS a JOIN {} AS b USING (task_id)", opened->sql)).value(),
            "7");
}

TEST_F(RecordDatasetsTest, HaveADatasetOfTheirOwnForEachVersion) {
  folder_.make_tasks();
  open();
  add(R"({"task_id": "t7", "mood": "good"})");
  add(R"({"task_id": "t8"})");
  const query::DatasetPtr then = at(1).value();
  add(R"({"task_id": "t9"})");
  EXPECT_EQ(then->name(), "records/tasks");
  EXPECT_NE(then->identity().version, dataset()->identity().version);
  EXPECT_EQ(then->identity().version, at(1).value()->identity().version);
  EXPECT_TRUE(then->is_current());
  EXPECT_EQ(then->row_count(), 7U);
  EXPECT_EQ(read(relation(then).value(), "task_id").value(), "t1; t2; t3; t4; t5; t6; t7");
  const query::DatasetPtr first = at(0).value();
  EXPECT_EQ(read(relation(first).value(), "count(*)").value(), "6");
  const auto names_of = [&](const query::DatasetPtr& dataset) {
    std::string out;
    const query::Table table = dataset->inspect(*engine_, {}).value();
    for (const engine::Field& column : table.columns) out += column.name + " ";
    return out;
  };
  EXPECT_THAT(names_of(then), HasSubstr(" mood "));
  EXPECT_THAT(names_of(first), ::testing::Not(HasSubstr(" mood ")));
  EXPECT_EQ(at(4).error().code, "unknown_version");
  EXPECT_THAT(at(4).error().hint, HasSubstr("version 3"));
}

TEST_F(RecordDatasetsTest, FollowDataTypesThatAreCreatedDroppedAndWidened) {
  folder_.make_tasks();
  open();
  const query::DatasetPtr tasks = dataset();
  const Result<query::Table> narrow = tasks->inspect(*engine_, {});
  ASSERT_TRUE(
      store_->create("notes-2024.x", {.schema = object(R"({"schema": {"body": "string"}})"), .user = {}}, {})
          .ok());
  EXPECT_THAT(names(), ElementsAre("records/notes-2024.x", "records/tasks"));
  add(R"({"task_id": "t7", "mood": "good"})");
  EXPECT_EQ(tasks->open(*narrow, {}, nullptr).error().code, "dataset_changed");
  EXPECT_EQ(dataset()->inspect(*engine_, {}).value().columns.back().name, "mood");
  std::filesystem::remove_all(folder_.folder().at("notes-2024.x"));
  for (int i = 0; i < 100 && names().size() > 1; ++i)
    registry_.wait_past(registry_.inventory(), std::chrono::milliseconds(100));
  EXPECT_THAT(names(), ElementsAre("records/tasks"));
}

TEST_F(RecordDatasetsTest, AreReadOnlyInTheColumnsThatAStatementNeeds) {
  folder_.make("tasks", "SELECT 'a' AS task_id, i AS n FROM range(3) t(i)");
  open(Access::kReadOnly);
  const Result<query::Relation> opened = relation(dataset());
  const auto entry = tables_->find(std::stoull(opened->sql.substr(opened->sql.find('(') + 1)));
  EXPECT_THAT(entry->source->read({1}, {}).value()->columns(),
              ElementsAre(::testing::Field(&engine::Field::name, "n")));
}

TEST_F(RecordDatasetsTest, HaveTheTypesOfTheirFiles) {
  folder_.make("tasks",
               "SELECT {'a': 1, 'b': [{'c': 'x'}]} AS s, MAP {'k': 2} AS m, TIMESTAMP_NS '2025-01-02 "
               "03:04:05.000000006' AS t, 12.50::DECIMAL(30, 2) AS d, uuid() AS u, '\\xAA'::BLOB AS b, [[1], "
               "NULL, []] AS l UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL");
  open(Access::kReadOnly);
  std::string types;
  const query::Table table = dataset()->inspect(*engine_, {}).value();
  for (const engine::Field& column : table.columns)
    types += column.name + " " + engine::sql_name(column.type) + ";";
  EXPECT_THAT(types, HasSubstr("t TIMESTAMP_NS;d DECIMAL(30,2);u UUID;b BLOB;l INTEGER[][];"));
  EXPECT_EQ(rows("coalesce(s.b[1].c, '-'), coalesce(m['k'], -1), t, d, b, l, s.a"),
            "x|2|2025-01-02 03:04:05.000000006|12.50|\\xAA|[[1], NULL, []]|1; -|-1");
}

TEST_F(RecordDatasetsTest, CallColumnsApartThatDifferOnlyInCase) {
  folder_.make("tasks", "SELECT 'a' AS task_id, 1 AS n");
  std::filesystem::create_directories(folder_.folder().at("cases"));
  std::filesystem::copy_file(test_data("parquet-records/cases.parquet"),
                             folder_.folder().at("cases/cases.parquet"));
  open(Access::kReadOnly);
  std::string columns;
  const query::Table table = dataset("records/cases")->inspect(*engine_, {}).value();
  for (const engine::Field& column : table.columns) columns += column.name + " ";
  EXPECT_EQ(columns, "id Name NAME_1 name_2 ");
  EXPECT_EQ(rows("Name, NAME_1, name_2", "records/cases"), "x|y|z");
}

TEST_F(RecordDatasetsTest, OfADamagedFileFailAloneAndSayWhy) {
  folder_.make_tasks();
  folder_.make("broken", "SELECT i AS id, repeat('x', 100) || i AS v FROM range(20000) t(i)");
  folder_.folder().write("empty/empty.parquet", "PAR1");
  const std::string path = folder_.folder().path() + "/broken/broken.parquet";
  std::FILE* file = std::fopen(path.c_str(), "r+b");
  ASSERT_NE(file, nullptr);
  std::fseek(file, 64, SEEK_SET);
  std::fputs(std::string(4'000, '\xFF').c_str(), file);
  std::fclose(file);
  open();
  EXPECT_THAT(names(), ElementsAre("records/broken", "records/empty", "records/tasks"));
  EXPECT_EQ(rows("sum(id)", "records/broken"), "unreadable_file");
  EXPECT_EQ(rows("count(*)", "records/empty"), "unreadable_file");
  EXPECT_EQ(dataset("records/empty")->count_state(), query::CountState::kFailed);
  EXPECT_EQ(rows("count(*)"), "6");
}

}  // namespace
}  // namespace sluice::records_provider::testing
