#include "sluice/wiring/login_authorizer.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/oauth/lazy_tokens.h"
#include "sluice/oauth/loopback_user_agent.h"
#include "sluice/oauth/www_authenticate.h"

namespace sluice::wiring {
namespace {

constexpr std::size_t kScopesToldMax = 8;

Error user_absent(const std::string& command) {
  return unauthenticated(fmt::format("a person has to agree first; run: {}", command))
      .with_code("user_absent")
      .with_hint("What is agreed to is found by itself; nothing has to be started again.");
}

// Said whole, because a report shows the message alone.
Error not_public(const Error& cause) {
  return forbidden(fmt::format("{}; `allow_private` of the authorization allows it", cause.message))
      .with_code(cause.code)
      .with_hint(
          "In the configuration: authorization: { allow_private: true }. On a command line: "
          "--allow-private.");
}

// Scopes come from a server, and the command is for a shell: what needs quotes is left out.
bool is_plain(std::string_view scope) {
  return !scope.empty() && scope.size() <= 64 && scope.front() != '-' &&
         std::all_of(scope.begin(), scope.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  std::string_view("._:/-").find(c) != std::string_view::npos;
         });
}

// A token that is good and not enough is not asked for again unless it is said what is missing.
std::string options_for(const oauth::Challenge& challenge) {
  std::string out;
  if (challenge.status != kForbiddenStatus) return out;
  const Result<std::vector<oauth::AuthenticateScheme>> schemes =
      oauth::parse_www_authenticate(challenge.www_authenticate);
  if (!schemes.ok()) return out;
  std::size_t told = 0;
  for (const oauth::AuthenticateScheme& scheme : *schemes) {
    const std::string* scopes = scheme.find("scope");
    std::string_view rest = scopes == nullptr ? std::string_view() : std::string_view(*scopes);
    while (!rest.empty() && told < kScopesToldMax) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
      if (!is_plain(word)) continue;
      out += fmt::format(" --scope {}", word);
      ++told;
    }
  }
  return out;
}

}  // namespace

oauth::OAuthOptions oauth_options_of(const config::AuthorizationSpec& spec, const std::string& url,
                                     const std::string& ca_file) {
  oauth::OAuthOptions options;
  options.resource_url = url;
  options.grant = spec.grant;
  options.issuer = spec.issuer;
  // Another client is another account: what one obtained is never used by the other.
  options.account = spec.account;
  if (!spec.client_id.empty()) {
    options.account += (options.account.empty() ? "client=" : " client=") + spec.client_id;
    options.client = oauth::OAuthClient{.issuer = spec.issuer,
                                        .id = spec.client_id,
                                        .secret = spec.secret,
                                        .private_key_pem = spec.key_pem,
                                        .auth_method = spec.auth_method,
                                        .key_id = spec.key_id};
  }
  if (spec.grant == oauth::OAuthGrant::kClientCredentials) options.account += " itself";
  options.client_document_url = spec.client_document_url;
  options.may_register = spec.may_register;
  options.scopes = spec.scopes;
  options.requires_dpop = spec.requires_dpop;
  options.policy.allow_private = spec.allow_private;
  options.policy.ca_file = ca_file;
  return options;
}

// Whoever sits in front of the program, while they are expected.
class LoginAuthorizer::Person final : public oauth::UserAgent {
 public:
  Person(std::string command, std::unique_ptr<oauth::UserAgent> browser)
      : command_(std::move(command)), browser_(std::move(browser)) {}

  Result<std::string> redirect_uri() override {
    return is_expected && browser_ ? browser_->redirect_uri() : user_absent(command_);
  }
  Result<std::string> authorize(const std::string& url, std::stop_token stop) override {
    return browser_->authorize(url, std::move(stop));
  }

  std::atomic<bool> is_expected{false};

 private:
  const std::string command_;
  const std::unique_ptr<oauth::UserAgent> browser_;  // Null: nobody ever comes.
};

LoginAuthorizer::LoginAuthorizer(Place place, std::shared_ptr<oauth::TokenStore> tokens)
    : place_(std::move(place)), tokens_(std::move(tokens)) {}

LoginAuthorizer::~LoginAuthorizer() = default;

Result<std::shared_ptr<LoginAuthorizer>> LoginAuthorizer::create(const config::AuthorizationSpec& spec,
                                                                 Place place,
                                                                 std::shared_ptr<oauth::TokenStore> tokens) {
  std::shared_ptr<LoginAuthorizer> made(new LoginAuthorizer(std::move(place), std::move(tokens)));
  std::unique_ptr<oauth::UserAgent> browser;
  if (made->place_.show) {
    oauth::LoopbackOptions options;
    options.port = spec.redirect_port;
    options.open = [show = made->place_.show](const std::string& url) -> Status {
      show(encode_controls(url));
      return {};
    };
    SLUICE_TRY(browser, oauth::make_loopback_user_agent(std::move(options)));
  }
  made->person_ = std::make_unique<Person>(made->place_.command, std::move(browser));
  SLUICE_TRY(made->inner_,
             oauth::make_oauth_authorizer(oauth_options_of(spec, made->place_.url, made->place_.ca_file),
                                          {.tokens = *made->tokens_, .user_agent = made->person_.get()}));
  return made;
}

Result<std::vector<oauth::Header>> LoginAuthorizer::headers(const oauth::HttpTarget& target,
                                                            std::stop_token stop) {
  {
    const MutexLock lock(mutex_);
    ++requests_;
  }
  return inner_->headers(target, std::move(stop));
}

Result<bool> LoginAuthorizer::challenged(const oauth::Challenge& challenge, std::stop_token stop) {
  {
    const MutexLock lock(mutex_);
    ++refused_;
  }
  Result<bool> outcome = inner_->challenged(challenge, std::move(stop));
  if (outcome.ok()) return outcome;
  if (outcome.error().code == "address_refused") return not_public(outcome.error());
  if (outcome.error().code != "user_absent") return outcome;
  const MutexLock lock(mutex_);
  refusal_ = Refusal{.challenge = challenge, .is_first = requests_ == refused_};
  return user_absent(place_.command + options_for(challenge));
}

void LoginAuthorizer::begin() {
  const MutexLock lock(mutex_);
  requests_ = 0;
  refused_ = 0;
  refusal_.reset();
}

std::optional<LoginAuthorizer::Refusal> LoginAuthorizer::take_refusal() {
  const MutexLock lock(mutex_);
  return std::exchange(refusal_, std::nullopt);
}

Status LoginAuthorizer::login(const oauth::Challenge& refusal, std::stop_token stop) {
  person_->is_expected = true;
  const Result<bool> outcome = inner_->challenged(refusal, std::move(stop));
  person_->is_expected = false;
  if (!outcome.ok())
    return outcome.error().code == "address_refused" ? not_public(outcome.error()) : outcome.error();
  return {};
}

Result<std::shared_ptr<oauth::TokenStore>> open_tokens(const std::string& folder,
                                                       const config::AuthorizationSpec& spec) {
  const bool must_last = spec.grant == oauth::OAuthGrant::kAuthorizationCode;
  if (!folder.empty() || !must_last) return oauth::make_lazy_tokens(folder);
  return invalid_input("there is no folder for tokens: neither XDG_STATE_HOME nor HOME is set")
      .with_code("no_token_store")
      .with_hint("Name one with token_store, or --token-store on a command line.");
}

}  // namespace sluice::wiring
