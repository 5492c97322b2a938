#include "sluice/contents/body_media.h"

#include <algorithm>
#include <utility>

#include "sluice/base/text.h"
#include "sluice/contents/media_type.h"
#include "sluice/text/encoding.h"

namespace sluice::contents {

namespace {

constexpr std::size_t kTypeBytesMax = 127;
constexpr std::size_t kBodyHeadBytes = 64 * 1024;
constexpr std::string_view kMark = "\xEF\xBB\xBF";

bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$&-^_.+";
  return !text.empty() && text.size() <= kTypeBytesMax && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

bool is_type(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && is_token(text.substr(0, slash)) &&
         is_token(text.substr(slash + 1));
}

std::string_view unquoted(std::string_view text) {
  if (text.size() >= 2 && text.starts_with('"') && text.ends_with('"'))
    return text.substr(1, text.size() - 2);
  return text;
}

// Marks that many formats begin with: what the sender says is more precise.
bool is_container(std::string_view type) {
  return type == "application/zip" || type == "application/gzip" || type == "application/zstd";
}

}  // namespace

ContentType parse_content_type(std::string_view header) {
  ContentType out;
  std::string_view rest = header;
  const std::string type = to_lower_ascii(trim_spaces(rest.substr(0, rest.find(';'))));
  if (is_type(type)) out.type = type;
  while (rest.find(';') != std::string_view::npos) {
    rest.remove_prefix(rest.find(';') + 1);
    const std::string_view parameter = trim_spaces(rest.substr(0, rest.find(';')));
    const std::size_t equals = parameter.find('=');
    if (equals == std::string_view::npos || !equal_ignoring_case(parameter.substr(0, equals), "charset"))
      continue;
    const std::string_view charset = unquoted(parameter.substr(equals + 1));
    if (is_token(charset)) out.charset = std::string(charset);
    break;
  }
  return out;
}

bool is_json_type(std::string_view type) {
  return type == "application/json" || type == "text/json" || type.ends_with("+json");
}

std::string type_of_body(std::string_view stated, std::string_view body) {
  const std::string_view head = body.substr(0, kBodyHeadBytes);
  const std::string_view seen = type_of_content(head);
  const bool says_nothing = stated.empty() || stated == kBinaryType;
  if (seen != kPlainTextType && seen != kBinaryType) {
    const bool is_precise = !says_nothing && !is_text_type(stated) && is_container(seen);
    return std::string(is_precise ? stated : seen);
  }
  if (!says_nothing && is_text_type(stated)) return media_of_type(stated, head).type;
  if (seen == kPlainTextType) return std::string(kPlainTextType);
  return std::string(says_nothing ? kBinaryType : stated);
}

std::string text_of_body(std::string_view charset, std::string body) {
  if (is_valid_utf8(body)) {
    if (body.starts_with(kMark)) body.erase(0, kMark.size());
    return body;
  }
  const bool has_utf16_mark = body.starts_with("\xFF\xFE") || body.starts_with("\xFE\xFF");
  if (!charset.empty() && !has_utf16_mark && !equal_ignoring_case(charset, "utf-8")) {
    if (Result<std::string> text = text::to_utf8(body, charset); text.ok()) return *std::move(text);
  }
  Result<std::string> text = text::to_utf8(body, text::detect_encoding(body).charset);
  return text.ok() ? *std::move(text) : std::move(body);
}

}  // namespace sluice::contents
