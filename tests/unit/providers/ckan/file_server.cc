#include "file_server.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "sluice/datasets/question_tool.h"
#include "sluice/json/reader.h"
#include "sluice/query/functions.h"

#include "compressed.h"

namespace sluice::ckan::testing {

namespace {

constexpr std::uint64_t kBytesMax = std::uint64_t{64} << 20U;

template <typename T>
T take(Result<T> result) {
  if (!result.ok()) {
    ADD_FAILURE() << result.error().message;
    std::abort();
  }
  return std::move(result).value();
}

void append_number(std::string& out, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    out += static_cast<char>((value >> (8U * static_cast<unsigned>(i))) & 0xFFU);
}

std::uint32_t crc_of(const std::string& text) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

}  // namespace

FileServer::FileServer(const CkanSpec& spec) {
  spool_ = std::make_unique<query::Spool>(take(fs::PrivateFolder::make_temporary("sluice-test")),
                                          query::SpoolOptions{}, clock_);
  tables_ = std::make_unique<query::Tables>(clock_);
  engines_ = std::make_unique<query::EngineSlot>(
      engine::EngineOptions{.folders = {spool_->folder()}, .functions = query::engine_functions()});
  datasets::Services services;
  services.registry = &registry_;
  services.engines = engines_.get();
  services.spool = spool_.get();
  services.tables = tables_.get();
  services.clock = &clock_;
  services.version = "test";
  auto collection = std::make_shared<query::Collection>();
  collection->name = "portal files";
  collection->scheme = collection->handle_scheme = "ckan-file";
  registry_.replace(collection, {});
  const auto tool = datasets::make_question_tool(services);
  FileQuestions questions;
  questions.prepare = [tool](const auto& dataset, const auto& context) {
    return tool->prepare(dataset, context);
  };
  questions.ask = [tool](const auto& dataset, const auto& arguments, auto& context) {
    return tool->ask(dataset, arguments, context);
  };
  questions.estimate = [tool](const auto& dataset, const auto& arguments, auto& context) {
    return tool->estimate(dataset, arguments, context);
  };
  questions.properties = datasets::question_properties(datasets::Limits());
  questions.collection = collection;
  questions.copies = std::make_shared<query::FileCopies>(
      take(fs::PrivateFolder::make_temporary_in(spool_->folder(), "text")), kBytesMax, clock_);
  questions.folder = spool_->folder();
  questions.bytes_max = kBytesMax;
  services.handles_only = true;
  server::ServerOptions options;
  options.clock = &clock_;
  server_ =
      take(server::Server::create(std::move(options), {datasets::make_datasets_provider(services),
                                                       take(make_ckan_provider(spec, questions, clock_))}));
  client_ = std::make_unique<TestClient>(*server_, server::testing::kModernPipe);
}

void FileServer::offer(PortalFixture& fixture, const std::string& url, const std::string& format) {
  fixture.answer("resource_show",
                 json::to_text(json::Object{{"id", "id"}, {"url", url}, {"format", format}, {"name", "N"}}));
}

WireMessage FileServer::call(const std::string& tool, const json::Object& arguments) {
  return client_->call_tool(tool, json::to_text(arguments));
}

json::Value FileServer::query(json::Object arguments) {
  arguments.set("server_url", "https://dati.gov.it");
  arguments.set("resource_id", "id");
  const WireMessage reply = call("ckan_query_file", arguments);
  if (reply.has({"result", "structuredContent"})) return reply.at({"result", "structuredContent"});
  const Result<json::Value> error = json::read(reply.text({"result", "content", 0, "text"}));
  return error.ok() ? *error : reply.value();
}

std::string FileServer::code(const json::Object& arguments) {
  const std::string code = at(query(arguments), "code");
  return code == "(nothing)" ? "" : code;
}

std::string FileServer::rows(json::Object arguments) {
  arguments.set("shape", "columns");
  const json::Value answer = query(std::move(arguments));
  const std::string rows = at(answer, "rows");
  return rows == "(nothing)" ? json::to_text(answer) : rows;
}

namespace {

struct ZipMember {
  std::string name;
  std::string packed;
  std::uint32_t method = 0;  // Stored; 8: deflated.
  std::uint32_t crc = 0;
  std::uint32_t bytes = 0;  // Unpacked.
};

std::string zip_of_members(const std::vector<ZipMember>& members) {
  std::string out;
  std::string directory;
  for (const auto& [name, content, method, crc, bytes] : members) {
    const auto offset = static_cast<std::uint32_t>(out.size());
    std::string shared;
    append_number(shared, 0, 2);  // Flags.
    append_number(shared, method, 2);
    append_number(shared, 0, 4);  // Time and date.
    append_number(shared, crc, 4);
    append_number(shared, static_cast<std::uint32_t>(content.size()), 4);
    append_number(shared, bytes, 4);
    append_number(shared, static_cast<std::uint32_t>(name.size()), 2);
    append_number(shared, 0, 2);
    out += "PK\x03\x04";
    append_number(out, 20, 2);
    out += shared + name + content;
    directory += "PK\x01\x02";
    append_number(directory, 20, 2);
    append_number(directory, 20, 2);
    directory += shared;
    append_number(directory, 0, 2);  // Comment.
    append_number(directory, 0, 2);  // Disk.
    append_number(directory, 0, 2);
    append_number(directory, 0, 4);
    append_number(directory, offset, 4);
    directory += name;
  }
  const auto begin = static_cast<std::uint32_t>(out.size());
  const auto count = static_cast<std::uint32_t>(members.size());
  out += directory + "PK\x05\x06";
  append_number(out, 0, 4);
  append_number(out, count, 2);
  append_number(out, count, 2);
  append_number(out, static_cast<std::uint32_t>(directory.size()), 4);
  append_number(out, begin, 4);
  append_number(out, 0, 2);
  return out;
}

}  // namespace

std::string zip_of(const std::vector<std::pair<std::string, std::string>>& files) {
  std::vector<ZipMember> members;
  for (const auto& [name, content] : files) {
    members.push_back({.name = name,
                       .packed = content,
                       .method = 0,
                       .crc = crc_of(content),
                       .bytes = static_cast<std::uint32_t>(content.size())});
  }
  return zip_of_members(members);
}

std::string zip_bomb(std::string name, std::size_t bytes, std::uint32_t claimed) {
  constexpr std::size_t kGzipHead = 10;
  return zip_of_members({{.name = std::move(name),
                          .packed = fetch::testing::gzip_bomb(bytes).substr(kGzipHead),
                          .method = 8,
                          .crc = 0,
                          .bytes = claimed}});
}

}  // namespace sluice::ckan::testing
