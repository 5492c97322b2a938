#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/protocol/exchange.h"
#include "sluice/transport/http_route.h"

namespace sluice::transport {

// What the Accept headers of a request allow. The most specific range decides, as RFC 9110 section 12.5.1
// says; without any header everything is acceptable.
class AcceptedTypes {
 public:
  void add(std::string_view field_value);
  bool json() const { return !seen_ || json_.allowed; }
  bool stream() const { return !seen_ || stream_.allowed; }

 private:
  struct Choice {
    int specificity = 0;
    bool allowed = false;
  };
  static void apply(Choice& choice, int specificity, bool allowed);
  void add_range(std::string_view range);

  bool seen_ = false;
  Choice json_;
  Choice stream_;
};

// The path of a request target, without the query.
std::string_view path_of(std::string_view target);

// application/json with any parameters, except a charset that is not UTF-8.
bool is_json_content_type(std::string_view field_value);

// The head of a request: what MCP knows in `http`, what only HTTP needs beside it.
struct RequestHead {
  protocol::HttpHead http;
  const HttpRoute* route = nullptr;  // That the path leads to, among the options of the server.
  std::optional<std::string> host;
  std::optional<std::string> origin;
  std::optional<std::string> content_type;
  std::optional<std::string> content_length;
  std::optional<std::string> transfer_encoding;
  std::optional<std::string> content_encoding;
  std::optional<std::string> expect;
  bool is_preflight = false;      // Access-Control-Request-Method is present.
  std::string requested_headers;  // Access-Control-Request-Headers
  AcceptedTypes accept;
  bool is_http_1_0 = false;
  bool keep_alive = true;
  std::string_view problem;  // The first reason to refuse it as malformed; a literal. Empty: none.

  // Takes one field as it arrives. A second field of a name that decides anything is a problem, because
  // whatever stands before us may have looked at the other one.
  void add_field(std::string_view name, std::string_view value);

 private:
  void add_mcp_field(std::string_view name, std::string_view value);
  void set_once(std::optional<std::string>& slot, std::string_view value);
};

}  // namespace sluice::transport
