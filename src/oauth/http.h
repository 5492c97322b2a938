#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/fetch/client.h"
#include "sluice/json/value.h"

namespace sluice::oauth {

using Form = std::vector<std::pair<std::string, std::string>>;
std::string to_text(const Form& form);  // application/x-www-form-urlencoded

// A member of a server's answer: "" if there is none, or it is no text.
std::string text_member(const json::Value& object, std::string_view key);

// Requests to authorization servers, within the sizes that their answers may have. Any thread.
class OAuthHttp {
 public:
  // `client` must outlive it.
  explicit OAuthHttp(fetch::Client& client) : client_(client) {}

  // A document, whatever the status. It must come from the origin that was asked: what another one says is
  // not this one's word.
  Result<fetch::Response> get(const fetch::Url& url, std::stop_token stop);

  // Follows no redirect: a form holds codes and secrets. `headers` go to this origin only.
  Result<fetch::Response> post_form(const fetch::Url& url, const Form& form, fetch::Headers headers,
                                    std::stop_token stop);
  Result<fetch::Response> post_json(const fetch::Url& url, std::string body, std::stop_token stop);

 private:
  Result<fetch::Response> post(const fetch::Url& url, std::string_view type, std::string body,
                               fetch::Headers headers, std::stop_token stop);

  fetch::Client& client_;
};

}  // namespace sluice::oauth
