#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sluice/oauth/oauth_authorizer.h"

#include "fake_time.h"
#include "http_fixture.h"

namespace sluice::oauth::testing {

using fetch::testing::Answer;
using fetch::testing::SeenRequest;
using Fields = std::map<std::string, std::string>;

// "a=b&c=d" decoded.
Fields fields_of(const std::string& query);
// Of what stands behind the question mark of a URL.
Fields query_of(const std::string& url);

// Answers as an authorization server would after a user agreed, unless a test says otherwise.
class ScriptedUserAgent final : public UserAgent {
 public:
  Result<std::string> redirect_uri() override {
    if (is_absent) return unauthenticated("nobody is there").with_code("user_absent");
    return uri;
  }
  Result<std::string> authorize(const std::string& url, std::stop_token stop) override;

  std::string uri = "http://127.0.0.1:7777/callback";
  std::function<std::string(const Fields& query)> answer;  // The whole URL.
  std::vector<std::string> urls;                           // That were shown.
  bool is_absent = false;
};

// An HTTP server whose answers a test sets path by path. What is not set is 404.
class ScriptedServer {
 public:
  using Handler = std::function<void(const SeenRequest& request, Answer& answer)>;
  ScriptedServer();

  void on(const std::string& path, Handler handler);
  void json(const std::string& path, const std::string& text);
  void remove(const std::string& path);

  std::string origin() const { return fixture_->origin(); }
  std::vector<SeenRequest> seen(const std::string& path) const;  // With and without a query.
  std::vector<SeenRequest> seen() const { return fixture_->seen(); }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Handler> handlers_;  // Guarded.
  std::unique_ptr<fetch::testing::HttpFixture> fixture_;
};

// A resource, its authorization server and a user, all well behaved until a test changes them.
class World {
 public:
  World();

  std::string mcp() const { return resource.origin() + "/mcp"; }
  OAuthOptions options() const;
  // Its parts are those of the world.
  std::unique_ptr<Authorizer> authorizer(OAuthOptions options);
  std::unique_ptr<Authorizer> authorizer() { return authorizer(options()); }

  // What the server's metadata says, and what a test changes of it: text of members, or "" to leave one out.
  std::string metadata(const Fields& changes = {}) const;
  void serve_metadata(const Fields& changes = {});
  void serve_resource(const Fields& changes = {});
  // The token endpoint gives "token-1", "token-2" and so on, with these members beside.
  void serve_tokens(const std::string& more = R"(,"expires_in":3600)");

  Challenge refusal(const std::string& www_authenticate = "Bearer") const;
  // The Authorization header of a request to the MCP endpoint. "" where there is none.
  static std::string authorization(Authorizer& authorizer, const std::string& url);
  std::string authorization(Authorizer& authorizer) const { return authorization(authorizer, mcp()); }
  std::vector<Fields> token_requests() const;

  fetch::testing::FakeTime time;
  ScriptedServer resource;
  ScriptedServer server;
  ScriptedUserAgent user;
  std::unique_ptr<TokenStore> tokens = make_memory_token_store();

 private:
  std::shared_ptr<int> issued_ = std::make_shared<int>(0);  // By the world and the server's thread, in turn.
};

template <typename T>
std::string code_of(const Result<T>& result) {
  return result.ok() ? "" : result.error().code;
}

}  // namespace sluice::oauth::testing
