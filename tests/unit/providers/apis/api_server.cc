#include "api_server.h"

#include <cstdlib>

#include <gmock/gmock.h>

#include "sluice/base/base64.h"

namespace sluice::apis::testing {

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

ApiSpec api_at(const HttpFixture& fixture) {
  ApiSpec api;
  api.name = "v1";
  api.base = fixture.url("/v1");
  api.headers = {{"Authorization", "Bearer top-secret"}};
  api.allow_private = true;
  api.endpoints = {{.name = "status", .path = "/status", .description = "How it is."},
                   {.name = "user",
                    .path = "/users/{user_id}",
                    .query = {{"verbose", "{verbose}"}, {"fixed", "1"}},
                    .parameters = {{.name = "verbose", .values = {"yes", "no"}, .description = "How much."}}},
                   {.name = "items",
                    .path = "/items",
                    .query = {{"page", "{page}"}, {"key", "query-secret"}},
                    .next = "link"}};
  return api;
}

ApiServer::ApiServer(const std::vector<ApiSpec>& apis) {
  server::ServerOptions options;
  options.clock = &clock_;
  server_ = take(server::Server::create(std::move(options), {take(make_apis_provider(apis, clock_))}));
  client_ = connect(server::testing::kModernPipe);
}

std::unique_ptr<TestClient> ApiServer::connect(server::testing::Dialect dialect,
                                               server::testing::ClientOptions options) {
  return std::make_unique<TestClient>(*server_, dialect, std::move(options));
}

WireMessage ApiServer::reply(const std::string& uri) {
  WireMessage reply = client_->call("resources/read", json::to_text(json::Object{{"uri", uri}}));
  const std::string all = json::to_text(reply.value());
  // Whatever is asked, nothing tells where the API is or what opens it.
  for (const char* secret : {"top-secret", "query-secret", "127.0.0.1"})
    EXPECT_EQ(all.find(secret), std::string::npos) << all.substr(0, 500);
  return reply;
}

std::string ApiServer::text(const std::string& uri) {
  const WireMessage read = reply(uri);
  EXPECT_TRUE(read.has({"result", "contents", 0, "text"})) << uri << ": " << read.error();
  return read.text({"result", "contents", 0, "text"});
}

std::string ApiServer::type(const std::string& uri) {
  return reply(uri).text({"result", "contents", 0, "mimeType"});
}

std::string ApiServer::bytes(const std::string& uri) {
  const WireMessage read = reply(uri);
  EXPECT_TRUE(read.has({"result", "contents", 0, "blob"})) << uri << ": " << read.error();
  return base64_decode(read.text({"result", "contents", 0, "blob"})).value_or("not base64");
}

std::string ApiServer::next(const std::string& uri) {
  const WireMessage read = reply(uri);
  EXPECT_TRUE(read.is_result()) << uri << ": " << read.error();
  if (!read.has({"result", "contents", 0, "_meta", "sluice/next"})) return "";
  return read.text({"result", "contents", 0, "_meta", "sluice/next"});
}

std::string ApiServer::listed(const char* method, const char* list, const char* member) {
  const WireMessage page = client_->call(method);
  std::string out;
  for (int i = 0; i < static_cast<int>(page.size({"result", list})); ++i)
    out += (i == 0 ? "" : " ") + page.text({"result", list, i, member});
  return out;
}

void ApiServer::expect_not_found(const std::string& uri) {
  const WireMessage read = reply(uri);
  EXPECT_EQ(read.code(), -32602) << uri << ": " << json::to_text(read.value()).substr(0, 300);
  EXPECT_EQ(read.text({"error", "data", "code"}), "resource_not_found") << uri;
  EXPECT_THAT(read.error(), ::testing::StartsWith("Resource not found: api:")) << uri;
}

}  // namespace sluice::apis::testing
