#include "request_headers.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sluice/base/text.h"

namespace sluice::fetch {

namespace {

constexpr std::array<std::string_view, 4> kOfTheConnection = {"host", "content-length", "transfer-encoding",
                                                              "connection"};
constexpr std::array<std::string_view, 8> kForAnyone = {"accept",       "accept-language",  "user-agent",
                                                        "range",        "if-range",         "if-none-match",
                                                        "content-type", "if-modified-since"};

template <typename Names>
bool is_among(const Names& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view each) { return equal_ignoring_case(each, name); });
}

bool is_token(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

bool is_value(std::string_view value) {
  return std::none_of(value.begin(), value.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == '\x7f';
  });
}

Status check(const Headers& headers) {
  for (const auto& [name, value] : headers) {
    if (!is_token(name) || is_among(kOfTheConnection, name))
      return invalid_input(fmt::format("no header of a request: {}", excerpt(name)))
          .with_code("invalid_header");
    if (!is_value(value))
      return invalid_input(fmt::format("the value of a header has a control character: {}", excerpt(name)))
          .with_code("invalid_header");
  }
  return {};
}

}  // namespace

Status check_headers(const Request& request) {
  if (!is_token(request.method)) return invalid_input("no method of HTTP").with_code("invalid_header");
  SLUICE_CHECK(check(request.headers));
  return check(request.credentials.headers);
}

Headers headers_to_send(const Request& request) {
  Headers out = request.headers;
  if (request.credentials.origin == request.url.origin()) {
    for (const auto& header : request.credentials.headers) {
      erase_header(out, header.first);
      out.push_back(header);
    }
  }
  if (find_header(out, "user-agent") == nullptr) out.emplace_back("User-Agent", "sluice");
  return out;
}

Headers headers_for_anyone(const Headers& headers) {
  Headers out;
  for (const auto& header : headers) {
    if (is_among(kForAnyone, header.first)) out.push_back(header);
  }
  return out;
}

void erase_header(Headers& headers, std::string_view name) {
  headers.erase(std::remove_if(headers.begin(), headers.end(),
                               [&](const auto& header) { return equal_ignoring_case(header.first, name); }),
                headers.end());
}

}  // namespace sluice::fetch
