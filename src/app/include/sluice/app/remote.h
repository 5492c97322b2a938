#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sluice/app/environment.h"
#include "sluice/base/result.h"

namespace sluice::app {

// A server that a command line names.
struct RemoteServer {
  std::string place;  // A URL, or a folder or file that is served for the occasion. Or empty, with
  std::vector<std::string> command;    // a program and its arguments.
  std::vector<std::string> headers;    // "Name: value", for a URL.
  std::vector<std::string> variables;  // Names of what a program gets of the environment beside the harmless.
};

struct CallRequest {
  RemoteServer server;
  std::string method;
  std::string params;  // A JSON object; empty for none.
};

// One request to an MCP server of either era: its result as JSON text.
Result<std::string> call(const CallRequest& request, const Environment& environment);

// Serves what a remote server offers on standard input and output, whichever eras both sides speak, until the
// input ends.
Status connect(const RemoteServer& server, const Environment& environment);

}  // namespace sluice::app
