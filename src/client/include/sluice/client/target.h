#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "sluice/base/limits.h"
#include "sluice/oauth/authorizer.h"
#include "sluice/protocol/exchange.h"

namespace sluice::client {

using Environment = std::map<std::string, std::string, std::less<>>;

// A server that is started as a child process and spoken to over its standard input and output. It runs in a
// process group of its own and never outlives the client.
struct Command {
  std::string program;  // A path, or a name that is looked for in the PATH of `environment`. Never a shell.
  std::vector<std::string> arguments;
  Environment environment;  // All that the child gets; see inheritable().
  std::string folder;       // Where it runs; empty for ours.
  // From the end of its input to SIGTERM, and from there to SIGKILL.
  std::chrono::milliseconds exit_grace = kChildExitGrace;
};

// Of an environment, what any child may have: PATH, HOME, USER, LANG and the like, and nothing that could
// hold a secret.
Environment inheritable(const Environment& all);

// A server behind Streamable HTTP.
struct Endpoint {
  std::string url;
  std::vector<oauth::Header> headers;             // Sent to the URL's origin only, with every request.
  std::shared_ptr<oauth::Authorizer> authorizer;  // Null: none. Shared with whoever made it.
  std::string ca_file;  // The only authorities that are trusted, as PEM; empty: the system's.
  std::string proxy;    // "http://proxy.example.org:3128", through which all requests go; empty: none.
  // Redirects stay at the URL's own origin, always. Private addresses are what most servers have; where URLs
  // come from strangers this must be false.
  bool allow_private = true;
};

// A server within this process, e.g. server::Server::receiver(), over a pipe without descriptors. What is
// behind the receiver must outlive the client.
struct InProcess {
  protocol::Receiver receiver;
};

using Target = std::variant<Command, Endpoint, InProcess>;

}  // namespace sluice::client
