#include "file_server.h"

#include <cstdlib>

#include <gmock/gmock.h>

#include "sluice/base/base64.h"

namespace sluice::files::testing {

namespace {

template <typename T>
T take(Result<T> result) {
  if (!result.ok()) {
    ADD_FAILURE() << result.error().message;
    std::abort();
  }
  return std::move(result).value();
}

}  // namespace

FileServer::FileServer(const fs::TempFolder& folder)
    : FileServer(std::vector<FolderSpec>{{.name = "docs", .path = folder.path()}}) {}

FileServer::FileServer(const std::vector<FolderSpec>& folders) {
  for (const FolderSpec& folder : folders) places_.push_back(folder.path);
  server_ = take(server::Server::create({}, {take(make_files_provider(folders))}));
  client_ = connect(server::testing::kModernPipe);
}

std::unique_ptr<TestClient> FileServer::connect(server::testing::Dialect dialect) {
  return std::make_unique<TestClient>(*server_, dialect);
}

WireMessage FileServer::reply(const std::string& uri) {
  WireMessage reply = client_->call("resources/read", json::to_text(json::Object{{"uri", uri}}));
  if (!reply.is_result()) {
    for (const std::string& place : places_)
      EXPECT_EQ(json::to_text(reply.value()).find(place), std::string::npos) << json::to_text(reply.value());
  }
  return reply;
}

std::string FileServer::text(const std::string& uri) {
  const WireMessage read = reply(uri);
  EXPECT_TRUE(read.has({"result", "contents", 0, "text"})) << uri << ": " << read.error();
  return read.text({"result", "contents", 0, "text"});
}

std::string FileServer::bytes(const std::string& uri) {
  const WireMessage read = reply(uri);
  EXPECT_TRUE(read.has({"result", "contents", 0, "blob"})) << uri << ": " << read.error();
  return base64_decode(read.text({"result", "contents", 0, "blob"})).value_or("not base64");
}

std::vector<std::string> FileServer::listed(const char* member) {
  std::vector<std::string> out;
  std::string cursor;
  for (int page = 0; page < 1'000; ++page) {
    const WireMessage list = client_->call(
        "resources/list", cursor.empty() ? "{}" : json::to_text(json::Object{{"cursor", cursor}}));
    EXPECT_TRUE(list.is_result()) << list.error();
    const auto size = static_cast<int>(list.size({"result", "resources"}));
    EXPECT_LE(size, 100);
    for (int i = 0; i < size; ++i) out.push_back(list.text({"result", "resources", i, member}));
    if (!list.has({"result", "nextCursor"})) return out;
    cursor = list.text({"result", "nextCursor"});
  }
  ADD_FAILURE() << "the list does not end";
  return out;
}

std::string FileServer::completed(std::string_view typed) {
  const json::Object reference{{"type", "ref/resource"}, {"uri", "file:///{+path}"}};
  const json::Object argument{{"name", "path"}, {"value", std::string(typed)}};
  return client_
      ->call("completion/complete", json::to_text(json::Object{{"ref", reference}, {"argument", argument}}))
      .text({"result", "completion", "values"});
}

void FileServer::expect_not_found(const std::string& uri) {
  const WireMessage read = reply(uri);
  EXPECT_EQ(read.code(), -32602) << uri << ": " << json::to_text(read.value()).substr(0, 300);
  EXPECT_EQ(read.text({"error", "data", "code"}), "resource_not_found") << uri;
  EXPECT_THAT(read.error(), ::testing::StartsWith("Resource not found: file:")) << uri;
}

}  // namespace sluice::files::testing
