// Files that are imported into data types, and exported from them.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>

#include "records_server.h"

namespace sluice::records_provider::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Exchange : public ::testing::Test {
 protected:
  Exchange() {
    folder_.make_tasks();
    server_ = std::make_unique<RecordServer>(folder_, Budget{}, Access::kWritable, exchange_.path());
  }
  std::string file(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(exchange_.at(name), std::ios::binary).rdbuf();
    return text.str();
  }
  WireMessage import(const std::string& name, const std::string& more = "") {
    return server_->answer("import_file", R"({"data_type":"tasks","file":")" + name + "\"" + more + "}");
  }
  WireMessage write(const std::string& name, const std::string& more = "") {
    return server_->answer("export_data_type", R"({"data_type":"tasks","file":")" + name + "\"" + more + "}");
  }
  std::string total() {
    return server_->answer("read_parquet", R"({"data_type":"tasks"})").text({"total_rows"});
  }
  WireMessage record(const std::string& id) {
    return server_->answer("read_parquet", R"({"data_type":"tasks","filters":{"task_id":")" + id + "\"}}");
  }

  fs::TempFolder exchange_;
  RecordFolder folder_;
  std::unique_ptr<RecordServer> server_;
};

TEST_F(Exchange, ImportsTextByTheTypesOfTheColumns) {
  exchange_.write("in.csv",
                  "task_id,title,rank,cost,due_date,extra\n"
                  "007,\"Pay, again\",9007199254740993,1.10,2025-05-06,1\n"
                  "n2,,,,,2\n");
  const WireMessage added = import("in.csv");
  EXPECT_EQ(added.text({"records_added"}), "2");
  EXPECT_EQ(each(added.at({"new_columns"}), "name"), "extra");
  const WireMessage first = record("007");
  EXPECT_EQ(first.text({"data", 0, "title"}), "Pay, again");
  EXPECT_EQ(first.text({"data", 0, "rank"}), "9007199254740993");
  EXPECT_EQ(first.text({"data", 0, "due_date"}), "2025-05-06");
  EXPECT_TRUE(record("n2").at({"data", 0, "title"}).is_null());
  const WireMessage log = server_->answer("read_audit_log", R"({"limit":1})");
  EXPECT_EQ(log.text({"data", 0, "notes"}), "Imported from in.csv");
  server_->answer("rollback_operation", R"({"audit_id":")" + added.text({"operation_id"}) + "\"}");
  EXPECT_EQ(total(), "6");
}

TEST_F(Exchange, ImportsJsonAsItStands) {
  exchange_.write("in.json",
                  R"([{"task_id":"j1","title":"2025-01-01","tags":["a","b"]},{"task_id":"j2","rank":5}])");
  exchange_.write("more/in.jsonl", "{\"task_id\":\"l1\",\"title\":\"x\"}\r\n\n{\"task_id\":\"l2\"}");
  EXPECT_EQ(import("in.json").text({"records_added"}), "2");
  EXPECT_EQ(import("more/in.jsonl").text({"records_added"}), "2");
  EXPECT_EQ(record("j1").text({"data", 0, "title"}), "2025-01-01");
  EXPECT_EQ(json::to_text(record("j1").at({"data", 0, "tags"})), R"(["a","b"])");
  EXPECT_EQ(record("l2").text({"total_rows"}), "1");
}

TEST_F(Exchange, ADryRunAddsNothing) {
  exchange_.write("in.csv", "task_id,title\nn1,x\n");
  const WireMessage would = import("in.csv", R"(,"dry_run":true)");
  EXPECT_EQ(would.text({"records_affected"}), "1");
  EXPECT_EQ(total(), "6");
  EXPECT_EQ(server_->code("import_file", R"({"data_type":"tasks","file":"in.csv","expected_version":7})"),
            "version_conflict");
}

TEST_F(Exchange, AnImportIsAllOrNothing) {
  exchange_.write("twice.csv", "task_id,title\nn1,x\nt1,y\n");
  exchange_.write("wrong.csv", "task_id,rank\nn1,1\nn2,many\n");
  exchange_.write("broken.json", R"([{"task_id":"n1"},)");
  exchange_.write("other.json", R"({"task_id":"n1"})");
  exchange_.write("numbers.ndjson", "1\n2\n");
  exchange_.write("not.parquet", "no Parquet file");
  const auto code = [&](const std::string& name) {
    return server_->code("import_file", R"({"data_type":"tasks","file":")" + name + "\"}");
  };
  EXPECT_EQ(code("twice.csv"), "record_exists");
  EXPECT_EQ(code("wrong.csv"), "wrong_type");
  EXPECT_EQ(code("broken.json"), "unreadable_file");
  EXPECT_EQ(code("other.json"), "unreadable_file");
  EXPECT_EQ(code("numbers.ndjson"), "unreadable_file");
  EXPECT_EQ(code("not.parquet"), "unreadable_file");
  EXPECT_EQ(code("missing.csv"), "file_not_found");
  EXPECT_EQ(code("file.xlsx"), "unsupported_format");
  EXPECT_EQ(total(), "6");
}

// A few kilobytes of Parquet may be gigabytes of text.
TEST_F(Exchange, AnImportIsBoundedHoweverSmallItsFileIs) {
  folder_.make_file("bomb/large.parquet", "SELECT repeat('x', 100000) AS title FROM range(2000)");
  folder_.make_file("bomb/many.parquet", "SELECT 'x' AS title FROM range(100001)");
  std::filesystem::copy(folder_.folder().at("bomb/large.parquet"), exchange_.at("large.parquet"));
  std::filesystem::copy(folder_.folder().at("bomb/many.parquet"), exchange_.at("many.parquet"));
  EXPECT_EQ(server_->code("import_file", R"({"data_type":"tasks","file":"large.parquet"})"),
            "too_many_values");
  EXPECT_EQ(server_->code("import_file", R"({"data_type":"tasks","file":"many.parquet"})"),
            "too_many_values");
  EXPECT_EQ(total(), "6");
}

TEST_F(Exchange, FilesOutsideOfTheFolderCannotBeNamed) {
  exchange_.write(".hidden.csv", "task_id\nn1\n");
  std::filesystem::create_symlink(folder_.folder().at("tasks/tasks.parquet"), exchange_.at("link.parquet"));
  for (const std::string name : {"../tasks.csv", "/etc/passwd.csv", "a//b.csv", "./a.csv", ".hidden.csv",
                                 "a/../b.csv", "", "a\\u0000.csv"}) {
    for (const std::string tool : {"import_file", "export_data_type"}) {
      EXPECT_EQ(server_->code(tool, R"({"data_type":"tasks","file":")" + name + R"(","format":"csv"})"),
                "invalid_path")
          << tool << " " << name;
    }
  }
  EXPECT_EQ(server_->code("import_file", R"({"data_type":"tasks","file":"link.parquet"})"), "file_not_found");
  const auto before = std::filesystem::file_size(folder_.folder().at("tasks/tasks.parquet"));
  server_->call("export_data_type",
                R"({"data_type":"tasks","file":"link.parquet","overwrite":true,"columns":["task_id"]})");
  EXPECT_EQ(std::filesystem::file_size(folder_.folder().at("tasks/tasks.parquet")), before);
}

TEST_F(Exchange, ExportsWhatItImports) {
  for (const std::string format : {"csv", "tsv", "json", "ndjson", "parquet"}) {
    const std::string name = "out." + format;
    EXPECT_EQ(write(name).text({"rows"}), "6") << format;
    server_->answer("create_data_type",
                    R"({"data_type":"copy_)" + format +
                        R"(","schema":{"task_id":"string","title":"string","status":"string",)"
                        R"("priority":"string","rank":"integer","cost":"float","due_date":"date",)"
                        R"("created_at":"datetime"}})");
    server_->answer("import_file", R"({"data_type":"copy_)" + format + R"(","file":")" + name + "\"}");
    const std::string columns =
        R"(,"columns":["task_id","title","status","priority","rank","due_date","created_at"]})";
    EXPECT_EQ(
        json::to_text(
            server_->answer("read_parquet", R"({"data_type":"copy_)" + format + "\"" + columns).at({"data"})),
        json::to_text(server_->answer("read_parquet", R"({"data_type":"tasks")" + columns).at({"data"})))
        << format;
  }
}

TEST_F(Exchange, ExportsAreFilteredSortedAndDoNotOverwriteByAccident) {
  EXPECT_EQ(
      write(
          "out.csv",
          R"(,"filters":{"$or":[{"task_id":"t1"},{"tags":{"$has":"health"}}]},"columns":["task_id","tags"],"sort_by":[{"column":"task_id","ascending":false}])")
          .text({"rows"}),
      "3");
  EXPECT_EQ(file("out.csv"),
            "task_id,tags\nt5,\"[\"\"health\"\",\"\"money\"\"]\"\nt2,\"[\"\"health\"\"]\"\nt1,\"["
            "\"\"home\"\",\"\"money\"\"]\"\n");
  EXPECT_EQ(server_->code("export_data_type", R"({"data_type":"tasks","file":"out.csv"})"), "file_exists");
  EXPECT_EQ(write("out.csv", R"(,"overwrite":true,"dry_run":true)").text({"would_overwrite"}), "true");
  EXPECT_THAT(file("out.csv"), Not(HasSubstr("t3")));
  EXPECT_EQ(write("out.csv", R"(,"overwrite":true)").text({"rows"}), "6");
  EXPECT_THAT(file("out.csv"), HasSubstr("t3"));
  EXPECT_EQ(server_->code("export_data_type", R"({"data_type":"tasks","file":"no/such/folder.csv"})"),
            "storage_failed");
  for (const auto& entry : std::filesystem::directory_iterator(exchange_.path()))
    EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr(".tmp")));
}

TEST_F(Exchange, AnExportIsBounded) {
  folder_.make("notes", "SELECT range::VARCHAR AS note_id, repeat('x', 100) AS title FROM range(1000)");
  RecordServer small(folder_, {.path = folder_.folder().path(),
                               .exchange_path = exchange_.path(),
                               .export_bytes_max = 20'000,
                               .writable = true});
  exchange_.write("old.csv", "as it was");
  const Outcome refused =
      small.call("export_data_type", R"({"data_type":"notes","file":"old.csv","overwrite":true})");
  EXPECT_EQ(refused.code, "oversize_file");
  EXPECT_THAT(refused.text, HasSubstr("20000"));
  EXPECT_EQ(file("old.csv"), "as it was");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(exchange_.path()), {}), 1);
  EXPECT_EQ(small
                .answer("export_data_type",
                        R"({"data_type":"notes","file":"some.csv","filters":{"note_id":{"$lt":"11"}}})")
                .text({"success"}),
            "true");
}

TEST_F(Exchange, IsOfferedWhereTheOperatorHasNamedAFolder) {
  RecordServer without(folder_);
  const std::string none = json::to_text(without.client().call("tools/list", "{}").at({"result", "tools"}));
  EXPECT_THAT(none, Not(HasSubstr("import_file")));
  EXPECT_THAT(none, Not(HasSubstr("export_data_type")));
  RecordServer reading(folder_, {}, Access::kReadOnly, exchange_.path());
  const std::string some = json::to_text(reading.client().call("tools/list", "{}").at({"result", "tools"}));
  EXPECT_THAT(some, Not(HasSubstr("\"name\":\"import_file")));
  EXPECT_THAT(some, HasSubstr("\"name\":\"export_data_type"));
  const auto inside = records::Store::open(
      {.path = folder_.folder().path(), .exchange_path = folder_.folder().at("tasks"), .writable = true});
  EXPECT_EQ(inside.ok() ? "" : inside.error().code, "invalid_configuration");
}

}  // namespace
}  // namespace sluice::records_provider::testing
