#include <string_view>
#include <thread>
#include <utility>

#include "sluice/fetch/client.h"
#include "sluice/json/reader.h"
#include "sluice/oauth/loopback_user_agent.h"
#include "sluice/oauth/oauth_authorizer.h"

#include "scenario.h"

namespace everything {
namespace {

using namespace sluice;
using oauth::Authorizer;

// What the suite accepts as this client's document; nothing is there.
constexpr const char* kDocument = "https://conformance-test.local/client-metadata.json";

std::string member(const json::Value& context, std::string_view key) {
  const json::Value* value = context.find(key);
  return value == nullptr || value->if_string() == nullptr ? "" : *value->if_string();
}

// A user who agrees to everything: the page is asked for, and where it leads to is followed.
void visit(const std::string& page) {
  fetch::Policy policy;
  policy.allow_private = true;  // The suite runs on this machine.
  Result<std::unique_ptr<fetch::Client>> browser = fetch::Client::create(policy);
  fetch::Request request;
  Result<fetch::Url> url = fetch::Url::parse(page);
  if (!browser.ok() || !url.ok()) return;
  request.url = *std::move(url);
  [[maybe_unused]] const Result<fetch::Response> seen = (*browser)->send(request);
}

// An OAuth client with all that it needs.
class OwningAuthorizer final : public Authorizer {
 public:
  static std::shared_ptr<Authorizer> make(oauth::OAuthOptions options) {
    auto out = std::make_shared<OwningAuthorizer>();
    Result<std::unique_ptr<oauth::UserAgent>> agent = oauth::make_loopback_user_agent(
        {.open = [browser = &out->browser_](const std::string& url) -> Status {
          *browser = std::jthread([url] { visit(url); });
          return {};
        }});
    if (!agent.ok()) return nullptr;
    out->agent_ = *std::move(agent);
    Result<std::unique_ptr<Authorizer>> inner =
        make_oauth_authorizer(std::move(options), {.tokens = *out->tokens_, .user_agent = out->agent_.get()});
    if (!inner.ok()) return nullptr;
    out->inner_ = *std::move(inner);
    return out;
  }

  Result<std::vector<oauth::Header>> headers(const oauth::HttpTarget& target, std::stop_token stop) override {
    return inner_->headers(target, std::move(stop));
  }
  Result<bool> challenged(const oauth::Challenge& challenge, std::stop_token stop) override {
    return inner_->challenged(challenge, std::move(stop));
  }

 private:
  const std::unique_ptr<oauth::TokenStore> tokens_ = oauth::make_memory_token_store();
  std::unique_ptr<oauth::UserAgent> agent_;
  std::unique_ptr<Authorizer> inner_;
  std::jthread browser_;
};

// The grant that a scenario is about, made of its context.
void set_grant(oauth::OAuthOptions& options, const std::string& name, const json::Value& context) {
  if (name.starts_with("auth/client-credentials")) options.grant = oauth::OAuthGrant::kClientCredentials;
  if (name == "auth/wif-jwt-bearer") {
    options.grant = oauth::OAuthGrant::kWorkloadIdentity;
    options.workload_assertion = [jwt = member(context, "valid_jwt")](const std::string& /*audience*/) {
      return Result<std::string>(jwt);
    };
  }
  if (name == "auth/enterprise-managed-authorization") {
    options.grant = oauth::OAuthGrant::kEnterprise;
    options.enterprise = {
        .token_endpoint = member(context, "idp_token_endpoint"),
        .client_id = member(context, "idp_client_id"),
        .client_secret = {},
        .id_token = [token = member(context, "idp_id_token")] { return Result<std::string>(token); }};
  }
}

}  // namespace

std::shared_ptr<Authorizer> make_authorizer(const Scenario& scenario) {
  if (!scenario.name.starts_with("auth/")) return nullptr;
  oauth::OAuthOptions options;
  options.resource_url = scenario.url;
  options.client_name = "everything_client";
  options.client_document_url = kDocument;
  options.may_guess_endpoints = scenario.name.starts_with("auth/2025-03-26");
  options.policy.allow_private = true;
  const Result<json::Value> context = json::read(scenario.context.empty() ? "{}" : scenario.context);
  if (!context.ok()) return nullptr;
  if (const std::string id = member(*context, "client_id"); !id.empty()) {
    options.client = oauth::OAuthClient{.issuer = {},
                                        .id = id,
                                        .secret = member(*context, "client_secret"),
                                        .private_key_pem = member(*context, "private_key_pem"),
                                        .auth_method = {}};
  }
  set_grant(options, scenario.name, *context);
  return OwningAuthorizer::make(std::move(options));
}

}  // namespace everything
