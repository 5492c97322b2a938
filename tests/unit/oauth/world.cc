#include "world.h"

#include <algorithm>

#include "sluice/base/uri.h"

namespace sluice::oauth::testing {

namespace {

// {"a":…,"b":…} of members whose values are JSON already.
std::string object_of(const Fields& members) {
  std::string out;
  for (const auto& [name, value] : members) {
    if (value.empty()) continue;
    out += (out.empty() ? "{\"" : ",\"") + name + "\":" + value;
  }
  return out + "}";
}

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

Fields changed(Fields members, const Fields& changes) {
  for (const auto& [name, value] : changes) members[name] = value;
  return members;
}

}  // namespace

Fields fields_of(const std::string& query) {
  Fields out;
  std::string_view rest = query;
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    out[percent_decode(pair.substr(0, equals)).value()] =
        percent_decode(pair.substr(std::min(equals + 1, pair.size()))).value();
  }
  return out;
}

Fields query_of(const std::string& url) {
  const std::size_t mark = url.find('?');
  return mark == std::string::npos ? Fields() : fields_of(url.substr(mark + 1));
}

Result<std::string> ScriptedUserAgent::authorize(const std::string& url, std::stop_token /*stop*/) {
  urls.push_back(url);
  const Fields query = query_of(url);
  if (answer) return answer(query);
  return uri + "?code=the-code&state=" + query.at("state");
}

ScriptedServer::ScriptedServer()
    : fixture_(
          std::make_unique<fetch::testing::HttpFixture>([this](const SeenRequest& request, Answer& answer) {
            Handler handler;
            {
              const std::lock_guard lock(mutex_);
              const auto found = handlers_.find(request.target.substr(0, request.target.find('?')));
              if (found != handlers_.end()) handler = found->second;
            }
            if (handler) {
              handler(request, answer);
            } else {
              answer.reply(404, {}, "");
            }
          })) {}

void ScriptedServer::on(const std::string& path, Handler handler) {
  const std::lock_guard lock(mutex_);
  handlers_[path] = std::move(handler);
}

void ScriptedServer::json(const std::string& path, const std::string& text) {
  on(path, [text](const SeenRequest&, Answer& answer) { answer.json(text); });
}

void ScriptedServer::remove(const std::string& path) {
  const std::lock_guard lock(mutex_);
  handlers_.erase(path);
}

std::vector<SeenRequest> ScriptedServer::seen(const std::string& path) const {
  std::vector<SeenRequest> out = fixture_->seen();
  std::erase_if(out, [&](const SeenRequest& request) {
    return request.target.substr(0, request.target.find('?')) != path;
  });
  return out;
}

World::World() {
  serve_resource();
  serve_metadata();
  serve_tokens();
  server.json("/register", R"({"client_id":"registered","token_endpoint_auth_method":"none"})");
}

OAuthOptions World::options() const {
  OAuthOptions out;
  out.resource_url = mcp();
  out.policy.allow_private = true;
  return out;
}

std::unique_ptr<Authorizer> World::authorizer(OAuthOptions options) {
  return make_oauth_authorizer(std::move(options), {.tokens = *tokens, .user_agent = &user, .clock = time})
      .value();
}

std::string World::metadata(const Fields& changes) const {
  const std::string origin = server.origin();
  return object_of(changed({{"issuer", quoted(origin)},
                            {"authorization_endpoint", quoted(origin + "/authorize")},
                            {"token_endpoint", quoted(origin + "/token")},
                            {"registration_endpoint", quoted(origin + "/register")},
                            {"code_challenge_methods_supported", R"(["S256"])"},
                            {"token_endpoint_auth_methods_supported", R"(["none"])"}},
                           changes));
}

void World::serve_metadata(const Fields& changes) {
  server.json("/.well-known/oauth-authorization-server", metadata(changes));
}

void World::serve_resource(const Fields& changes) {
  resource.json("/.well-known/oauth-protected-resource/mcp",
                object_of(changed({{"resource", quoted(mcp())},
                                   {"authorization_servers", "[" + quoted(server.origin()) + "]"}},
                                  changes)));
}

void World::serve_tokens(const std::string& more) {
  server.on("/token", [issued = issued_, more](const SeenRequest&, Answer& answer) {
    answer.json(R"({"access_token":"token-)" + std::to_string(++*issued) + R"(","token_type":"Bearer")" +
                more + "}");
  });
}

Challenge World::refusal(const std::string& www_authenticate) const {
  Challenge out;
  out.status = 401;
  out.www_authenticate = www_authenticate;
  out.resource_url = mcp();
  return out;
}

std::string World::authorization(Authorizer& authorizer, const std::string& url) {
  const std::vector<Header> headers = authorizer.headers({.method = "POST", .url = url}, {}).value();
  for (const Header& header : headers) {
    if (header.first == "Authorization") return header.second;
  }
  return {};
}

std::vector<Fields> World::token_requests() const {
  std::vector<Fields> out;
  for (const SeenRequest& request : server.seen("/token")) out.push_back(fields_of(request.body));
  return out;
}

}  // namespace sluice::oauth::testing
