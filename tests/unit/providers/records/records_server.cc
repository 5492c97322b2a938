#include "records_server.h"

#include <filesystem>

#include "sluice/engine/duckdb.h"
#include "sluice/engine/sql.h"
#include "sluice/json/reader.h"

namespace sluice::records_provider::testing {

namespace {

template <typename T>
T take(Result<T> result) {
  if (!result.ok()) {
    ADD_FAILURE() << result.error().message;
    std::abort();
  }
  return std::move(result).value();
}

WireMessage message_of(const std::string& text) {
  Result<json::Value> value = json::read(text, {.bytes_max = 8'000'000, .values_max = 4'000'000});
  EXPECT_TRUE(value.ok()) << text.substr(0, 500);
  return WireMessage(value.ok() ? *std::move(value) : json::Value());
}

}  // namespace

WireMessage Outcome::answer() const { return message_of(text); }

void RecordFolder::make_file(const std::string& path, const std::string& select) const {
  std::filesystem::create_directories(folder_.at(path).parent_path());
  const std::string folder = std::filesystem::canonical(folder_.path()).string();
  const auto engine = take(engine::open_duckdb({.folders = {folder, test_data("")}}));
  const std::string target = folder + "/" + path;
  const Result<std::uint64_t> made = engine->execute(
      {.sql = "COPY (" + select + ") TO " + engine::quote_text(target + ".new") + " (FORMAT parquet)"}, {});
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
  std::filesystem::rename(target + ".new", target);
}

void RecordFolder::make_tasks() const {
  make("tasks",
       "SELECT * FROM (VALUES "
       "('t1', 'Pay rent', 'open', 'high', 1, 100.50, DATE '2025-01-15', TIMESTAMP '2025-01-15 09:00:00', "
       "['home','money']),"
       "('t2', 'Pay for therapy session', 'done', 'low', 2, 80.00, DATE '2025-01-20', TIMESTAMP '2025-01-20 "
       "10:00:00', ['health']),"
       "('t3', 'Call Jane Doe', 'open', 'medium', 3, NULL, DATE '2025-02-03', TIMESTAMP '2025-02-03 "
       "11:00:00', []),"
       "('t4', 'Write report', 'open', 'low', 4, 20.25, NULL, NULL, NULL),"
       "('t5', 'therapist invoice', NULL, 'high', 5, 60.00, DATE '2025-04-01', TIMESTAMP '2025-04-01 "
       "12:00:00', ['health','money']),"
       "('t6', 'Renew passport', 'done', NULL, 9007199254740993, 0.00, DATE '2026-01-01', TIMESTAMP "
       "'2026-01-01 00:00:00', ['home'])"
       ") t(task_id, title, status, priority, rank, cost, due_date, created_at, tags)");
}

RecordServer::RecordServer(const RecordFolder& folder, Budget budget, Access access,
                           const std::string& exchange)
    : RecordServer(folder,
                   {.path = folder.folder().path(),
                    .exchange_path = exchange,
                    .writable = access == Access::kWritable},
                   budget) {}

RecordServer::RecordServer(const RecordFolder& folder, const records::StoreOptions& options, Budget budget)
    : folder_(folder.folder().path()) {
  store_ = take(records::Store::open(options));
  server_ =
      take(server::Server::create({}, {make_records_provider({.store = store_.get(), .budget = budget})}));
  client_ = connect(server::testing::kModernPipe);
}

std::unique_ptr<TestClient> RecordServer::connect(server::testing::Dialect dialect) {
  return std::make_unique<TestClient>(*server_, dialect);
}

Outcome RecordServer::call(std::string_view tool, std::string_view arguments) {
  const WireMessage reply = client_->call_tool(tool, arguments);
  EXPECT_TRUE(reply.is_result()) << reply.error();
  Outcome out{.code = "", .text = reply.text({"result", "content", 0, "text"})};
  EXPECT_EQ(out.text.find(folder_), std::string::npos) << out.text;
  EXPECT_EQ(out.text.find("/proc"), std::string::npos) << out.text;
  if (reply.text({"result", "isError"}) != "true") {
    EXPECT_EQ(reply.text({"result", "structuredContent"}), out.text);
    return out;
  }
  const WireMessage error = out.answer();
  out.code = error.text({"code"});
  EXPECT_FALSE(error.text({"error"}).empty()) << out.text;
  EXPECT_FALSE(out.code.empty() || out.code == "internal") << out.text;
  EXPECT_FALSE(error.text({"hint"}).empty()) << out.text;
  return out;
}

WireMessage RecordServer::answer(std::string_view tool, std::string_view arguments) {
  const Outcome out = call(tool, arguments);
  EXPECT_EQ(out.code, "") << tool << arguments.substr(0, 300) << ": " << out.text;
  return out.answer();
}

WireMessage RecordServer::read_reply(const std::string& uri) {
  return client_->call("resources/read", json::to_text(json::Object{{"uri", uri}}));
}

WireMessage RecordServer::read(const std::string& uri) {
  const WireMessage reply = read_reply(uri);
  EXPECT_TRUE(reply.is_result()) << uri << ": " << reply.error();
  EXPECT_EQ(reply.text({"result", "contents", 0, "mimeType"}), "application/json");
  return message_of(reply.text({"result", "contents", 0, "text"}));
}

std::string test_data(std::string_view path) {
  return std::string(SLUICE_TEST_DATA) + "/" + std::string(path);
}

std::string each(const json::Value& list, std::string_view member) {
  std::string out;
  if (list.if_array() == nullptr) return "not a list: " + json::to_text(list);
  for (const json::Value& one : *list.if_array()) {
    const json::Value* value = one.find(member);
    const std::string* text = value == nullptr ? nullptr : value->if_string();
    out += out.empty() ? "" : " ";
    out += value == nullptr ? "-" : text != nullptr ? *text : json::to_text(*value);
  }
  return out;
}

}  // namespace sluice::records_provider::testing
