#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sluice/base/limits.h"
#include "sluice/base/result.h"
#include "sluice/oauth/user_agent.h"

namespace sluice::oauth {

struct LoopbackOptions {
  // Shows the page to the user and returns at once, e.g. by printing the URL. Never a shell: the URL comes
  // from a server.
  std::function<Status(const std::string& url)> open;
  std::chrono::milliseconds timeout = kUserAgentTimeout;  // For the user to come back.
  // Of 127.0.0.1, and no other: clients that were registered by hand have exact redirect URIs, which is then
  // "http://127.0.0.1:PORT/callback". 0: whichever the system chooses.
  std::uint16_t port = 0;
};

// Waits for the answer on a port of 127.0.0.1 that is closed after one answer.
// What comes without the right `state`, to another path or host, or too large is turned away and does not end
// the wait. One authorization at a time.
//
// Errors: user_agent_failed, user_agent_timed_out.
Result<std::unique_ptr<UserAgent>> make_loopback_user_agent(LoopbackOptions options);

}  // namespace sluice::oauth
