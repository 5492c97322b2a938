#include "http.h"

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/uri.h"

namespace sluice::oauth {

std::string to_text(const Form& form) {
  std::string out;
  for (const auto& [name, value] : form) {
    if (!out.empty()) out += '&';
    out += percent_encode(name) + "=" + percent_encode(value);
  }
  return out;
}

std::string text_member(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  const std::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string() : *text;
}

Result<fetch::Response> OAuthHttp::get(const fetch::Url& url, std::stop_token stop) {
  fetch::Request request;
  request.url = url;
  request.headers = {{"Accept", "application/json"}};
  request.limits.bytes_max = kOAuthMetadataBytesMax;
  request.limits.redirects_max = kOAuthRedirectsMax;
  request.stop = stop;
  SLUICE_TRY(fetch::Response response, client_.send(request));
  if (response.head.url.origin() != url.origin())
    return forbidden(fmt::format("authorize: metadata of {} came from another origin", url.origin()))
        .with_code("oauth_endpoint_refused");
  return response;
}

Result<fetch::Response> OAuthHttp::post_form(const fetch::Url& url, const Form& form, fetch::Headers headers,
                                             std::stop_token stop) {
  return post(url, "application/x-www-form-urlencoded", to_text(form), std::move(headers), stop);
}

Result<fetch::Response> OAuthHttp::post_json(const fetch::Url& url, std::string body, std::stop_token stop) {
  return post(url, "application/json", std::move(body), {}, stop);
}

Result<fetch::Response> OAuthHttp::post(const fetch::Url& url, std::string_view type, std::string body,
                                        fetch::Headers headers, std::stop_token stop) {
  fetch::Request request;
  request.method = "POST";
  request.url = url;
  request.headers = {{"Accept", "application/json"}, {"Content-Type", std::string(type)}};
  request.credentials = {.origin = url.origin(), .headers = std::move(headers)};
  request.body = std::move(body);
  request.limits.bytes_max = kOAuthAnswerBytesMax;
  request.limits.redirects_max = 0;
  request.stop = stop;
  return client_.send(request);
}

}  // namespace sluice::oauth
