// Questions over one data type that the store's engine answers itself.
#include <fmt/format.h>

#include "sluice/engine/duckdb.h"
#include "sluice/expression/polars.h"
#include "sluice/expression/sql.h"
#include "sluice/json/reader.h"
#include "sluice/query/statement.h"
#include "sluice/records/mutation.h"
#include "sluice/records_provider/record_datasets.h"
#include "sluice/render/cell.h"

#include "records_server.h"

namespace sluice::records_provider::testing {
namespace {

using Lines = std::vector<std::string>;

class RecordAnswers : public ::testing::Test {
 protected:
  void open(const std::string& select) {
    folder_.make("tasks", select);
    store_ = records::Store::open({.path = folder_.folder().path(), .writable = true}).value();
    datasets_ = std::make_unique<RecordDatasets>(store_, registry_, tables_);
    ASSERT_TRUE(datasets_->begin().ok());
  }

  query::DatasetPtr dataset() const { return registry_.inventory().find("records/tasks"); }
  query::Table table() const { return dataset()->inspect(*engine_, {}).value(); }

  expression::Question sql(const std::string& text) const {
    auto question = expression::check_sql(*engine_, text, table().columns, {}, {});
    EXPECT_TRUE(question.ok()) << text;
    return question.ok() ? *std::move(question) : expression::Question();
  }
  expression::Question polars(const std::string& chain) const {
    auto question = expression::compile_polars(chain, table().columns, {});
    EXPECT_TRUE(question.ok()) << chain;
    return question.ok() ? *std::move(question) : expression::Question();
  }

  // Rows as text, in order.
  static Result<Lines> lines(engine::Rows& rows) {
    Lines out;
    for (const engine::Field& column : rows.columns())
      out.push_back(column.name + " " + engine::sql_name(column.type));
    while (true) {
      SLUICE_TRY(const engine::Batch* batch, rows.next());
      if (batch == nullptr) return out;
      for (std::size_t row = 0; row < batch->rows; ++row) {
        std::string line;
        for (const engine::Column& column : batch->columns) {
          std::string cell;
          render::append_json(cell, column, row);
          line += cell + "|";
        }
        out.push_back(std::move(line));
      }
    }
  }

  // The answer of the store's engine.
  Result<Lines> answer(const expression::Question& question) const {
    SLUICE_TRY(const query::Relation relation, dataset()->open(table(), {}, &question));
    if (!relation.answer) return not_found("no answer").with_code("no_answer");
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < relation.answer->columns().size(); ++i) all.push_back(i);
    SLUICE_TRY(const std::unique_ptr<engine::Rows> rows, relation.answer->read(all, {}));
    return lines(*rows);
  }

  // The answer of the other engine, over all records.
  Result<Lines> computed(const expression::Question& question) const {
    const expression::Question shown;
    SLUICE_TRY(const query::Relation relation, dataset()->open(table(), {}, &shown));
    std::optional<std::uint64_t> limit = question.limit;
    if (limit) ++*limit;
    SLUICE_TRY(const std::unique_ptr<engine::Rows> rows,
               engine_->query(query::statement_of(question, table(), relation, limit), {}));
    return lines(*rows);
  }

  void expect_equal(const std::string& text, const expression::Question& question) const {
    const Result<Lines> left = answer(question);
    const Result<Lines> right = computed(question);
    ASSERT_TRUE(left.ok()) << text << ": " << left.error().message;
    ASSERT_TRUE(right.ok()) << text << ": " << right.error().message;
    EXPECT_EQ(*left, *right) << text;
  }

  void change(const std::string& filters, const std::string& updates) {
    ASSERT_TRUE(records::update_records(*store_->find("tasks").value(), nullptr, object(filters),
                                        object(updates), {}, {})
                    .ok());
  }
  void remove(const std::string& filters) {
    ASSERT_TRUE(records::delete_records(*store_->find("tasks").value(), object(filters), {}, {}).ok());
  }
  void add(const std::string& record) {
    const json::Object value = object(record);
    ASSERT_TRUE(records::add_records(*store_->find("tasks").value(), nullptr, {&value}, {}, {}).ok());
  }
  static json::Object object(std::string_view text) { return *json::read(text).value().if_object(); }

  RecordFolder folder_;
  const std::shared_ptr<engine::Sources> tables_ = std::make_shared<engine::Sources>();
  const std::unique_ptr<engine::Engine> engine_ = engine::open_duckdb({.sources = tables_}).value();
  query::Registry registry_;
  std::shared_ptr<records::Store> store_;
  std::unique_ptr<RecordDatasets> datasets_;
};

const std::string kMany =
    "SELECT CAST(i AS VARCHAR) AS id, i % 7 AS grade, CASE WHEN i % 5 = 0 THEN NULL ELSE i * 3 END AS "
    "points, "
    "i / 8 AS share, CASE i % 3 WHEN 0 THEN 'open' WHEN 1 THEN 'Open' END AS status, DATE '2024-01-01' + "
    "CAST(i % 40 AS INTEGER) AS due, {'a': i} AS nested FROM range(500) t(i)";

TEST_F(RecordAnswers, AreThoseOfTheOtherEngineAfterEveryChange) {
  open(kMany);
  const auto check_all = [this] {
    for (const char* text :
         {"SELECT status, count(*) AS n, sum(points), min(due), max(share), avg(grade) FROM data GROUP BY "
          "status "
          "ORDER BY n DESC, status",
          "SELECT count(*), count(points), count(DISTINCT status) FROM data WHERE due >= '2024-01-15' AND "
          "grade "
          "<> 3",
          "SELECT grade FROM data WHERE status = 'open' GROUP BY grade ORDER BY grade LIMIT 3 OFFSET 1",
          "SELECT DISTINCT status, grade FROM data ORDER BY status, grade",
          "SELECT grade, count(*) FROM data GROUP BY grade HAVING count(*) > 70 ORDER BY grade",
          "SELECT id, nested, points FROM data WHERE points > 600 ORDER BY points DESC LIMIT 10",
          "SELECT id AS key, status FROM data WHERE status LIKE 'O%' AND grade IN (1, 2)",
          "SELECT id FROM data LIMIT 5 OFFSET 496"})
      expect_equal(text, sql(text));
    for (const char* chain :
         {"df.group_by('status').agg(pl.col('points').sum(), n=pl.col('grade').n_unique()).sort('n')",
          "df.filter(pl.col('points').is_null()).sort('grade', descending=True).select('id', "
          "'grade').head(20)",
          "df.filter(pl.col('grade') == 2).select('id').head(3)"})
      expect_equal(chain, polars(chain));
    expression::Question part = sql("SELECT id, grade FROM data WHERE grade > 4");
    part.limit = 7;
    part.offset = 5;
    expect_equal("a part of it", part);
  };
  check_all();
  add(R"({"id": "new", "grade": 9, "status": "open", "points": 601})");
  check_all();  // Appended to a file that is in order.
  change(R"({"grade": 2})", R"({"status": "Old", "points": 999})");
  remove(R"({"grade": 5})");
  check_all();  // In another order than the file has.
  ASSERT_TRUE(store_->fold_all().ok());
  check_all();
}

TEST_F(RecordAnswers, AreLeftToTheOtherEngineWhereTheyMayDiffer) {
  open(kMany);
  for (const char* text :
       {"SELECT * FROM data", "SELECT * FROM data WHERE grade = 1", "SELECT grade + 1 FROM data",
        "SELECT median(grade) FROM data", "SELECT grade % 2, count(*) FROM data GROUP BY 1"})
    EXPECT_EQ(answer(sql(text)).error().code, "no_answer") << text;
  expression::Question keeps_values = sql("SELECT max(grade) FROM data");
  keeps_values.kept_values = 1;
  EXPECT_EQ(answer(keeps_values).error().code, "no_answer");
}

// What a question does not need is not read by the other engine.
TEST_F(RecordAnswers, OfAScanAreOnlyTheRowsThatItsFilterKeeps) {
  open(kMany);
  const expression::Question question = sql("SELECT * FROM data WHERE grade = 1 AND status = 'Open'");
  const query::Relation relation = dataset()->open(table(), {}, &question).value();
  const auto entry = tables_->find(std::stoull(relation.sql.substr(relation.sql.find('(') + 1)));
  const std::unique_ptr<engine::Rows> rows = entry->source->read({1}, {}).value();
  const Lines found = lines(*rows).value();
  EXPECT_EQ(found.size(), 1 + 24);  // Of i below 500 with i % 7 = 1 and i % 3 = 1.
  EXPECT_EQ(found[1], "1|");
}

TEST_F(RecordAnswers, SayWhyTheyFail) {
  open("SELECT 99999999999999999999999999999999999999::DECIMAL(38, 0) AS n FROM range(2)");
  const Result<Lines> overflow = answer(sql("SELECT sum(n) FROM data"));
  const Result<Lines> expected = computed(sql("SELECT sum(n) FROM data"));
  ASSERT_FALSE(overflow.ok());
  ASSERT_FALSE(expected.ok());
  EXPECT_EQ(overflow.error().code, expected.error().code);
  EXPECT_NE(overflow.error().code, "unreadable_file");
}

TEST_F(RecordAnswers, OfADamagedFileSayThatItIs) {
  open("SELECT i AS id, repeat('x', 100) || i AS v FROM range(20000) t(i)");
  const expression::Question question = sql("SELECT sum(id), max(v) FROM data");
  ASSERT_TRUE(answer(question).ok());
  const std::string path = folder_.folder().path() + "/tasks/tasks.parquet";
  std::FILE* file = std::fopen(path.c_str(), "r+b");
  ASSERT_NE(file, nullptr);
  std::fseek(file, 64, SEEK_SET);
  std::fputs(std::string(4'000, '\xFF').c_str(), file);
  std::fclose(file);
  EXPECT_EQ(answer(question).error().code, "unreadable_file");
}

}  // namespace
}  // namespace sluice::records_provider::testing
