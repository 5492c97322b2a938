#include "sluice/guard/jwt.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sluice/base/base64.h"
#include "sluice/base/text.h"
#include "sluice/json/reader.h"

namespace sluice::guard {
namespace {

constexpr std::size_t kJwtDepthMax = 16;
constexpr std::size_t kJwtValuesMax = 4'096;
constexpr std::size_t kKeyIdBytesMax = 256;

std::optional<json::Value> read_object_part(std::string_view part) {
  const std::optional<std::string> text = base64url_decode(part);
  if (!text) return std::nullopt;
  Result<json::Value> value =
      json::read(*text, {.bytes_max = kJwtBytesMax, .depth_max = kJwtDepthMax, .values_max = kJwtValuesMax});
  if (!value.ok() || !value->is_object()) return std::nullopt;
  return *std::move(value);
}

// The type of a token as media types are compared: RFC 7515, section 4.1.9.
std::string plain_type(std::string_view type) {
  std::string out = to_lower_ascii(type);
  constexpr std::string_view kPrefix = "application/";
  if (out.starts_with(kPrefix)) out.erase(0, kPrefix.size());
  return out;
}

bool read_header(const json::Value& header, Jwt& jwt) {
  const json::Value* algorithm = header.find("alg");
  if (algorithm == nullptr || algorithm->if_string() == nullptr || header.find("crit") != nullptr)
    return false;
  jwt.algorithm = crypto::parse_jws_algorithm(*algorithm->if_string());
  if (const json::Value* id = header.find("kid")) {
    if (id->if_string() == nullptr || id->if_string()->size() > kKeyIdBytesMax) return false;
    jwt.key_id = *id->if_string();
  }
  const json::Value* type = header.find("typ");
  if (type != nullptr && type->if_string() == nullptr) return false;
  jwt.type = type == nullptr ? "jwt" : plain_type(*type->if_string());
  return true;
}

}  // namespace

TokenForm form_of(std::string_view token) {
  const auto dots = std::count(token.begin(), token.end(), '.');
  if (dots != 2 && dots != 4) return TokenForm::kOpaque;
  // However the object continues: what looks like a token of an issuer is never shown to another one.
  const std::optional<std::string> first = base64url_decode(token.substr(0, token.find('.')));
  const std::size_t begin = first ? first->find_first_not_of(" \t\r\n") : std::string::npos;
  if (begin == std::string::npos || (*first)[begin] != '{') return TokenForm::kOpaque;
  return dots == 2 ? TokenForm::kJwt : TokenForm::kEncrypted;
}

std::variant<Jwt, TokenFault> parse_jwt(std::string_view token) {
  if (token.size() > kJwtBytesMax) return TokenFault::kMalformed;
  const std::size_t first = token.find('.');
  const std::size_t second = first == std::string_view::npos ? first : token.find('.', first + 1);
  if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos)
    return TokenFault::kMalformed;
  const std::optional<json::Value> header = read_object_part(token.substr(0, first));
  std::optional<json::Value> claims = read_object_part(token.substr(first + 1, second - first - 1));
  std::optional<std::string> signature = base64url_decode(token.substr(second + 1));
  if (!header || !claims || !signature) return TokenFault::kMalformed;
  Jwt jwt;
  if (!read_header(*header, jwt)) return TokenFault::kMalformed;
  jwt.claims = *std::move(claims);
  jwt.signed_text = token.substr(0, second);
  jwt.signature = *std::move(signature);
  return jwt;
}

}  // namespace sluice::guard
