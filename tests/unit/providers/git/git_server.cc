#include "git_server.h"

#include <cstdlib>

#include <gmock/gmock.h>

namespace sluice::git::testing {

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

GitServer::GitServer(const TestRepository& repository)
    : GitServer(std::vector<RepositorySpec>{{.name = "repo", .path = repository.path()}}) {}

GitServer::GitServer(const std::vector<RepositorySpec>& repositories) {
  for (const RepositorySpec& repository : repositories) places_.push_back(repository.path);
  server_ = take(server::Server::create({}, {take(make_git_provider(repositories))}));
  client_ = connect(server::testing::kModernPipe);
}

std::unique_ptr<TestClient> GitServer::connect(server::testing::Dialect dialect) {
  return std::make_unique<TestClient>(*server_, dialect);
}

WireMessage GitServer::reply(const std::string& uri) {
  WireMessage reply = client_->call("resources/read", json::to_text(json::Object{{"uri", uri}}));
  for (const std::string& place : places_)
    EXPECT_EQ(json::to_text(reply.value()).find(place), std::string::npos) << uri;
  return reply;
}

std::string GitServer::text(const std::string& uri) {
  const WireMessage read = reply(uri);
  EXPECT_TRUE(read.has({"result", "contents", 0, "text"})) << uri << ": " << read.error();
  return read.text({"result", "contents", 0, "text"});
}

std::string GitServer::meta(const std::string& uri, const char* member) {
  const WireMessage read = reply(uri);
  EXPECT_TRUE(read.is_result()) << uri << ": " << read.error();
  if (!read.has({"result", "contents", 0, "_meta", member})) return "";
  return read.text({"result", "contents", 0, "_meta", member});
}

json::Value GitServer::json(const std::string& uri) { return server::testing::parse(text(uri)); }

std::vector<std::string> GitServer::listed(const char* method, const char* list, const char* member) {
  const WireMessage reply = client_->call(method, "{}");
  std::vector<std::string> out;
  for (int i = 0; i < static_cast<int>(reply.size({"result", list})); ++i)
    out.push_back(reply.text({"result", list, i, member}));
  return out;
}

std::string GitServer::completed(const char* uri_template, const char* argument, std::string_view typed,
                                 std::string_view resolved) {
  const json::Object params{{"ref", json::Object{{"type", "ref/resource"}, {"uri", uri_template}}},
                            {"argument", json::Object{{"name", argument}, {"value", std::string(typed)}}},
                            {"context", json::Object{{"arguments", server::testing::parse(resolved)}}}};
  return client_->call("completion/complete", json::to_text(params)).text({"result", "completion", "values"});
}

void GitServer::expect_not_found(const std::string& uri) {
  const WireMessage read = reply(uri);
  EXPECT_EQ(read.code(), -32602) << uri << ": " << json::to_text(read.value()).substr(0, 300);
  EXPECT_EQ(read.text({"error", "data", "code"}), "resource_not_found") << uri;
  EXPECT_THAT(read.error(), ::testing::StartsWith("Resource not found: git:")) << uri;
}

}  // namespace sluice::git::testing
