#include "answer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "sluice/base/text.h"
#include "sluice/contents/body_media.h"
#include "sluice/contents/media_type.h"
#include "sluice/json/reader.h"
#include "sluice/json/value.h"

#include "pagination.h"

namespace sluice::apis {

namespace {

constexpr std::size_t kHeaderBytesMax = 1'024;

std::string header(const fetch::Headers& headers, std::string_view name) {
  const std::string* value = fetch::find_header(headers, name);
  return value == nullptr || value->size() > kHeaderBytesMax ? std::string() : *value;
}

bool looks_like_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

// Types that a body which is JSON often comes with.
bool may_be_json(std::string_view type) {
  return contents::is_json_type(type) || type == "text/plain" || type == "text/html" ||
         type == "text/javascript";
}

std::string absolute(const fetch::Url& from, std::string_view reference) {
  const Result<fetch::Url> url = from.resolve(reference);
  return url.ok() ? url->text() : std::string();
}

}  // namespace

std::string validator_of(const fetch::Headers& headers, std::string_view name) {
  std::string value = header(headers, name);
  const bool is_text = std::none_of(
      value.begin(), value.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7f'; });
  return is_text ? value : std::string();
}

Answer make_answer(fetch::Response response, std::string_view next) {
  const fetch::Headers& headers = response.head.headers;
  Answer out;
  out.etag = validator_of(headers, "etag");
  out.last_modified = validator_of(headers, "last-modified");
  out.is_kept = to_lower_ascii(header(headers, "cache-control")).find("no-store") == std::string::npos;
  if (next == "link") {
    if (const std::optional<std::string> link = next_link(headers))
      out.next = absolute(response.head.url, *link);
  }
  const contents::ContentType stated = contents::parse_content_type(header(headers, "content-type"));
  out.type = contents::type_of_body(stated.type, response.body);
  if (!contents::is_text_type(out.type)) {
    out.body = std::move(response.body);
    return out;
  }
  out.body = contents::text_of_body(stated.charset, std::move(response.body));
  const bool is_called_json = contents::is_json_type(out.type);
  if (!is_called_json && !(may_be_json(out.type) && looks_like_json(out.body))) return out;
  const Result<json::Value> value = json::read(out.body, {.bytes_max = out.body.size()});
  if (value.ok()) {
    if (!is_called_json) out.type = "application/json";
    out.body = json::to_text(*value);
    if (next.starts_with('/')) {
      const json::Value* link = at_pointer(*value, next);
      if (link != nullptr && link->if_string() != nullptr && !link->if_string()->empty())
        out.next = absolute(response.head.url, *link->if_string());
    }
  } else if (is_called_json && value.error().kind != ErrorKind::kLimitReached) {
    out.type = "text/plain";  // It is called JSON, and is none.
  }
  return out;
}

}  // namespace sluice::apis
