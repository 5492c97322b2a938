#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/config/environment.h"

namespace sluice::commands {

// How a command line says who is calling a URL; see AuthorizationSpec.
struct RemoteAuthorization {
  std::string grant;  // Empty: authorization_code.
  std::string issuer;
  std::string client_id;
  std::string secret_variable;  // Names of variables that hold them.
  std::string key_variable;
  std::string client_document_url;
  std::vector<std::string> scopes;
  std::string account;
  std::string tokens;  // A folder. Empty: the usual one.
  std::uint16_t redirect_port = 0;
  bool allow_private = false;
};

// A server that a command line names.
struct RemoteServer {
  std::string place;  // A URL, or a folder or file that is served for the occasion. Or empty, with
  std::vector<std::string> command;    // a program and its arguments.
  std::vector<std::string> headers;    // "Name: value", for a URL.
  std::vector<std::string> variables;  // Names of what a program gets of the environment beside the harmless.
  RemoteAuthorization authorization;   // For a URL, where it is not called with an Authorization header.
  // Shows a page to the person in front of the program.
  std::function<void(const std::string& url)> show;
};

struct CallRequest {
  RemoteServer server;
  std::string method;
  std::string params;  // A JSON object; empty for none.
};

// One request to an MCP server of either era: its result as JSON text.
Result<std::string> call(const CallRequest& request, const config::Environment& environment);

// Serves what a remote server offers on standard input and output, whichever eras both sides speak, until the
// input ends.
Status connect(const RemoteServer& server, const config::Environment& environment);

// Lets a person agree that a server is used, and stores the tokens, where that is needed. `server.place` is a
// URL, or a configuration file, of which `upstream` is one; scopes are then added to the configured ones.
// What was done, for the person to read.
Result<std::string> login(const RemoteServer& server, const std::string& upstream,
                          const config::Environment& environment);

// What is to be forgotten: of a URL or an upstream, as `login` was told of it, or, without either, all that
// is stored of `server.authorization.issuer`.
struct LogoutRequest {
  RemoteServer server;
  std::string upstream;
  bool all = false;  // Of every account and client; without a place and an issuer, everything.
};

// Removes stored tokens, and tells the servers that issued them. That it could not be told is no error. What
// was done, line by line, for a person to read.
Result<std::vector<std::string>> logout(const LogoutRequest& request, const config::Environment& environment);

}  // namespace sluice::commands
