#pragma once

#include <stop_token>
#include <string>

#include "sluice/base/result.h"

namespace sluice::oauth {

// Takes a user to an authorization server and brings the answer back: a browser, or whatever stands for one.
class UserAgent {
 public:
  virtual ~UserAgent() = default;

  // Where the answer is to be sent. Asked for before each authorization, because a client is registered
  // with it. An error with the code user_absent says that nobody can be asked now: it does not count as an
  // attempt, and what others store meanwhile is found by the next request.
  virtual Result<std::string> redirect_uri() = 0;

  // Shows the page at `url`, and returns the URL that the server sent the user to at the end: the redirect
  // URI with a query. The URL begins with https://, or with http:// on loopback, and has been checked; it is
  // data all the same, and must never be given to a shell.
  virtual Result<std::string> authorize(const std::string& url, std::stop_token stop) = 0;
};

}  // namespace sluice::oauth
