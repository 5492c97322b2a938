#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/config/authorization_spec.h"
#include "sluice/oauth/authorizer.h"
#include "sluice/oauth/oauth_authorizer.h"
#include "sluice/oauth/token_store.h"

namespace sluice::wiring {

inline constexpr int kForbiddenStatus = 403;

// Shows a person the page at a URL, e.g. by printing it.
using ShowPage = std::function<void(const std::string& url)>;

// The OAuth client of one MCP endpoint, with all that it needs. By itself it asks nobody: where a person has
// to agree, the request fails with user_absent and the command by which they can. Once the tokens are stored,
// by whichever process, the next request has them. Any thread.
class LoginAuthorizer final : public oauth::Authorizer {
 public:
  struct Place {
    std::string url;
    std::string ca_file;  // Empty: the system's authorities.
    std::string command;  // What a person is told to run.
    ShowPage show;        // Null: `login` cannot be called.
  };
  // `tokens` is shared with the authorizers of other endpoints.
  static Result<std::shared_ptr<LoginAuthorizer>> create(const config::AuthorizationSpec& spec, Place place,
                                                         std::shared_ptr<oauth::TokenStore> tokens);
  ~LoginAuthorizer() override;

  Result<std::vector<oauth::Header>> headers(const oauth::HttpTarget& target, std::stop_token stop) override;
  Result<bool> challenged(const oauth::Challenge& challenge, std::stop_token stop) override;

  // For which a person is needed.
  struct Refusal {
    oauth::Challenge challenge;
    bool is_first = false;  // No request has been answered since `begin`: all of it may be asked for again.
  };
  void begin();
  std::optional<Refusal> take_refusal();  // The last one since `begin`, once.
  // Asks a person, for as long as they take. One at a time, and while no request is under way.
  Status login(const oauth::Challenge& refusal, std::stop_token stop = {});

 private:
  class Person;
  LoginAuthorizer(Place place, std::shared_ptr<oauth::TokenStore> tokens);

  const Place place_;
  const std::shared_ptr<oauth::TokenStore> tokens_;
  std::unique_ptr<Person> person_;
  std::unique_ptr<oauth::Authorizer> inner_;  // After what it uses.
  Mutex mutex_;
  std::size_t requests_ SLUICE_GUARDED_BY(mutex_) = 0;  // Since `begin`,
  std::size_t refused_ SLUICE_GUARDED_BY(mutex_) = 0;   // and those of them that were refused.
  std::optional<Refusal> refusal_ SLUICE_GUARDED_BY(mutex_);
};

// What an endpoint is authorized with, and under which account its tokens are stored.
oauth::OAuthOptions oauth_options_of(const config::AuthorizationSpec& spec, const std::string& url,
                                     const std::string& ca_file);

// Tokens in the folder. Where none is known, what needs no person is kept in memory, and the rest is refused:
// nobody should have to agree again with every start.
Result<std::shared_ptr<oauth::TokenStore>> open_tokens(const std::string& folder,
                                                       const config::AuthorizationSpec& spec);

}  // namespace sluice::wiring
