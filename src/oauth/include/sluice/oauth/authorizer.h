#pragma once

#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "sluice/base/result.h"

namespace sluice::oauth {

// A name and its value.
using Header = std::pair<std::string, std::string>;

// A request that is about to be made. Proofs of possession are bound to both.
struct HttpTarget {
  std::string method;  // "POST", "GET" or "DELETE".
  std::string url;     // With its path and query.
};

// What a server said when it refused a request.
struct Challenge {
  int status = 0;                // 401 or 403.
  std::string www_authenticate;  // The header as it came; several are joined by ", ". May be empty.
  std::string resource_url;      // The URL of the MCP endpoint that refused.
  std::string dpop_nonce;        // The header DPoP-Nonce of the refusal. May be empty.
};

// Obtains what a server wants to see before it answers. The HTTP transport asks it before every request, and
// tells it when a request was refused. Any thread, several at once; both may block, up to the stop token.
class Authorizer {
 public:
  virtual ~Authorizer() = default;

  // Headers to add to a request to this URL, e.g. Authorization and DPoP. They go to the origin of that URL
  // and never to another. An error is what the caller of the request gets.
  virtual Result<std::vector<Header>> headers(const HttpTarget& target, std::stop_token stop) = 0;

  // True: something was obtained, and the request is worth another try. False: it is not, and the refusal is
  // what the caller gets. The transport tries at most kClientChallengesMax times for one request.
  virtual Result<bool> challenged(const Challenge& challenge, std::stop_token stop) = 0;
};

}  // namespace sluice::oauth
