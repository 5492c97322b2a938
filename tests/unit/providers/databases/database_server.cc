#include "database_server.h"

#include <condition_variable>
#include <cstdlib>
#include <mutex>

#include "sluice/expression/sql.h"
#include "sluice/fs/scan.h"
#include "sluice/json/reader.h"
#include "sluice/json/writer.h"
#include "sluice/mirror/mirror_provider.h"
#include "sluice/query/functions.h"
#include "sluice/query/query_arguments.h"

namespace sluice::databases::testing {

namespace {

constexpr std::chrono::seconds kPatience{40};
constexpr std::chrono::milliseconds kLookAgain{20};

template <typename T>
T take(Result<T> result) {
  if (!result.ok()) {
    ADD_FAILURE() << result.error().message;
    std::abort();
  }
  return std::move(result).value();
}

void pause() {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, kLookAgain);
}

}  // namespace

DatabaseServer::DatabaseServer(std::vector<DatabaseSpec> specs, const DatabaseServerOptions& options) {
  tables_ = std::make_unique<query::Tables>(system_clock());
  spool_ = std::make_unique<query::Spool>(take(fs::PrivateFolder::make_temporary("sluice-test")),
                                          query::SpoolOptions{}, system_clock());
  std::vector<std::string> folders{spool_->folder()};
  if (!options.folder.empty()) folders.push_back(std::filesystem::canonical(options.folder).string());
  engines_ = std::make_unique<query::EngineSlot>(
      engine::EngineOptions{.folders = folders,
                            .functions = query::engine_functions(),
                            .sources = sources_,
                            .transfer_bytes_max = options.limits.transfer_bytes_max});
  copies_ = std::make_shared<query::FileCopies>(
      take(fs::PrivateFolder::make_temporary_in(spool_->folder(), "text")), std::uint64_t{1} << 20U,
      system_clock());
  databases_ = take(Databases::open(specs, registry, sources_));
  if (!options.folder.empty()) serve_files(folders.back());
  databases_->begin();
  counter_ = std::make_unique<query::RowCounter>(query::RowCounter::Sources{
      .registry = registry, .engine = *engines_, .tables = *tables_, .clock = system_clock()});
  counter_->start();
  datasets::Services services;
  services.registry = &registry;
  services.engines = engines_.get();
  services.spool = spool_.get();
  services.tables = tables_.get();
  services.clock = &system_clock();
  services.limits = options.limits;
  services.profile = options.profile;
  services.version = "test";
  std::vector<std::shared_ptr<catalog::Provider>> providers{
      datasets::make_datasets_provider(std::move(services)), make_databases_provider(*databases_, registry)};
  providers.push_back(mirror::make_mirror_provider(providers));
  server_ = take(server::Server::create({.request_timeout = options.request_timeout}, std::move(providers)));
  client_ = connect(server::testing::kModernPipe);
}

void DatabaseServer::serve_files(const std::string& folder) {
  auto collection = std::make_shared<query::Collection>();  // Shared with its datasets.
  collection->name = "data";
  collection->scheme = "data";
  root_ = std::make_shared<const fs::Root>(take(fs::Root::open(folder)));
  std::vector<query::DatasetPtr> datasets;
  for (const fs::ScannedEntry& found : take(fs::scan(*root_, "")).entries) {
    const auto kind = query::kind_of_file(found.path);
    if (!kind) continue;
    query::Dataset::Identity identity{.collection = collection,
                                      .name = kind->stem,
                                      .dimensions = {},
                                      .path = found.path,
                                      .bytes = found.entry.bytes,
                                      .modified = found.entry.modified,
                                      .version = "1"};
    datasets.push_back(std::make_shared<query::FileDataset>(std::move(identity), root_, *kind, copies_));
  }
  registry.replace(collection, std::move(datasets));
}

std::unique_ptr<TestClient> DatabaseServer::connect(server::testing::Dialect dialect) {
  return std::make_unique<TestClient>(*server_, dialect);
}

std::string DatabaseServer::text(std::string_view tool, std::string_view arguments) {
  const WireMessage reply = client_->call_tool(tool, arguments);
  EXPECT_TRUE(reply.is_result()) << reply.error();
  said_ += json::to_text(reply.value()) + "\n";
  return reply.text({"result", "content", 0, "text"});
}

json::Value DatabaseServer::call(std::string_view tool, std::string_view arguments) {
  const std::string answer = text(tool, arguments);
  Result<json::Value> value = json::read(answer, {.bytes_max = 8'000'000, .values_max = 4'000'000});
  EXPECT_TRUE(value.ok()) << answer.substr(0, 500);
  return value.ok() ? *std::move(value) : json::Value();
}

std::string DatabaseServer::code(std::string_view tool, std::string_view arguments) {
  const json::Value answer = call(tool, arguments);
  const json::Value* code = answer.find("code");
  return code == nullptr || code->if_string() == nullptr ? "" : *code->if_string();
}

std::string DatabaseServer::member(std::string_view tool, std::string_view arguments, std::string_view key) {
  const json::Value answer = call(tool, arguments);
  const json::Value* found = answer.find(key);
  EXPECT_NE(found, nullptr) << key << " of " << json::to_text(answer).substr(0, 500);
  return found == nullptr ? "" : json::to_text(*found);
}

WireMessage DatabaseServer::read(const std::string& uri) {
  WireMessage reply = client_->call("resources/read", json::to_text(json::Object{{"uri", uri}}));
  said_ += json::to_text(reply.value()) + "\n";
  return reply;
}

std::string DatabaseServer::contents(const std::string& uri) {
  const WireMessage reply = read(uri);
  EXPECT_TRUE(reply.has({"result", "contents", 0, "text"})) << uri << ": " << json::to_text(reply.value());
  return reply.text({"result", "contents", 0, "text"});
}

std::vector<std::string> DatabaseServer::listed() {
  std::vector<std::string> out;
  std::string cursor;
  for (int page = 0; page < 1'000; ++page) {
    const WireMessage list = client_->call(
        "resources/list", cursor.empty() ? "{}" : json::to_text(json::Object{{"cursor", cursor}}));
    EXPECT_TRUE(list.is_result()) << list.error();
    const auto size = static_cast<int>(list.size({"result", "resources"}));
    EXPECT_LE(size, 100);
    for (int i = 0; i < size; ++i) out.push_back(list.text({"result", "resources", i, "uri"}));
    if (!list.has({"result", "nextCursor"})) return out;
    cursor = list.text({"result", "nextCursor"});
  }
  ADD_FAILURE() << "the list does not end";
  return out;
}

bool DatabaseServer::is_pushed_down(const std::string& dataset, std::string_view arguments) {
  const query::DatasetPtr found = registry.inventory().find(dataset);
  if (!found) {
    ADD_FAILURE() << "no dataset " << dataset;
    return false;
  }
  const std::shared_ptr<engine::Engine> engine = take(engines_->get());
  const query::Table table = take(found->inspect(*engine, {}));
  const json::Value parsed = server::testing::parse(arguments);
  const Result<query::QueryArguments> query_arguments = query::read_query_arguments(*parsed.if_object());
  if (!query_arguments.ok()) return false;
  const Result<expression::Question> question =
      query::compile(*query_arguments, table, found->collection(), {});
  if (!question.ok()) return false;
  const Result<query::Relation> relation = found->open(table, {}, &*question);
  return relation.ok() && relation->answer != nullptr;
}

bool DatabaseServer::is_statement_pushed_down(const std::string& dataset, std::string_view sql) {
  const query::DatasetPtr found = registry.inventory().find(dataset);
  if (!found) {
    ADD_FAILURE() << "no dataset " << dataset;
    return false;
  }
  const std::shared_ptr<engine::Engine> engine = take(engines_->get());
  const query::Table table = take(found->inspect(*engine, {}));
  const Result<expression::Question> question = expression::check_sql(*engine, sql, table.columns, {}, {});
  if (!question.ok()) return false;
  const Result<query::Relation> relation = found->open(table, {}, &*question);
  return relation.ok() && relation->answer != nullptr;
}

bool DatabaseServer::comes_true(const std::function<bool()>& done) const {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    pause();
  }
  return true;
}

PostgresServer& postgres(int version) {
  static std::unique_ptr<PostgresServer> servers[2];
  std::unique_ptr<PostgresServer>& server = servers[version == 15 ? 0 : 1];
  if (!server) {
    server = std::make_unique<PostgresServer>(version, SLUICE_REPOSITORY);
    server->run(
        "CREATE ROLE reader LOGIN PASSWORD 'reader-secret'; ALTER SYSTEM SET log_statement = 'all'; "
        "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO reader; "
        "ALTER DEFAULT PRIVILEGES GRANT USAGE ON SCHEMAS TO reader");
    server->run("SELECT pg_reload_conf()");
  }
  return *server;
}

DatabaseSpec postgres_spec(const std::string& name, PostgresServer& server) {
  DatabaseSpec spec;
  spec.name = name;
  spec.postgres.url = server.url("reader", "reader-secret");
  spec.postgres.search_path = {"public"};
  return spec;
}

DatabaseSpec fresh_postgres(const std::string& name, PostgresServer& server) {
  server.run(
      "DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO reader");
  return postgres_spec(name, server);
}

TestFolder::TestFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "sluice_databases_XXXXXX").string();
  EXPECT_NE(mkdtemp(name.data()), nullptr);
  path_ = name;
}

TestFolder::~TestFolder() { std::filesystem::remove_all(path_); }

DatabaseSpec sqlite_spec(const std::string& name, const std::string& path) {
  DatabaseSpec spec;
  spec.name = name;
  spec.sqlite_path = path;
  return spec;
}

std::string in_json(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

}  // namespace sluice::databases::testing
