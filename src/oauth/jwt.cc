#include "jwt.h"

#include <algorithm>
#include <optional>

#include "sluice/base/base64.h"
#include "sluice/base/limits.h"
#include "sluice/json/reader.h"

namespace sluice::oauth {

namespace {

std::string_view without_slash(std::string_view text) {
  return text.ends_with('/') ? text.substr(0, text.size() - 1) : text;
}

}  // namespace

std::string make_jwt(json::Object header, const json::Object& claims, const crypto::SigningKey& key) {
  header.set("alg", crypto::to_string(key.algorithm()));
  std::string out = base64url_encode(json::to_text(header)) + "." + base64url_encode(json::to_text(claims));
  const std::string signature = key.sign(out);
  return out + "." + base64url_encode(signature);
}

bool is_for_audience(std::string_view jwt, const std::vector<std::string>& audiences) {
  const std::size_t first = jwt.find('.');
  const std::size_t second = first == std::string_view::npos ? first : jwt.find('.', first + 1);
  if (second == std::string_view::npos || jwt.size() > kOAuthTokenBytesMax) return false;
  const std::optional<std::string> payload = base64url_decode(jwt.substr(first + 1, second - first - 1));
  const Result<json::Value> claims = json::read(payload.value_or(""), {.bytes_max = kOAuthTokenBytesMax});
  const json::Value* audience = claims.ok() ? claims->find("aud") : nullptr;
  if (audience == nullptr) return false;
  const auto is_wanted = [&](const json::Value& each) {
    const std::string* text = each.if_string();
    return text != nullptr && std::any_of(audiences.begin(), audiences.end(), [&](const std::string& wanted) {
             return without_slash(wanted) == without_slash(*text);
           });
  };
  const json::Array* many = audience->if_array();
  return many == nullptr ? is_wanted(*audience) : std::any_of(many->begin(), many->end(), is_wanted);
}

}  // namespace sluice::oauth
