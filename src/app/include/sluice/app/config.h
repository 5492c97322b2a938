#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/app/environment.h"
#include "sluice/base/budget.h"
#include "sluice/base/limits.h"
#include "sluice/base/result.h"
#include "sluice/guard/token_gate.h"
#include "sluice/host/address.h"
#include "sluice/transport/http_server.h"

namespace sluice::app {

// The `server:` section.
struct ServerConfig {
  std::optional<host::Address> http;
  std::string path = "/mcp";
  std::optional<transport::TlsFiles> tls;
  std::vector<guard::Token> tokens;
  std::vector<std::string> allowed_hosts;
  std::vector<std::string> allowed_origins;
  std::size_t message_bytes_max = kMessageBytesMax;
  std::chrono::milliseconds request_timeout = kRequestTimeout;
  std::string signing_key;  // Empty: a random one; replicas share one.
};

// One configuration file, read and checked. Every section is optional.
struct Config {
  ServerConfig server;
  Budget limits;
};

// `text` is YAML; `name` is what errors call it. ${NAME} is replaced from the environment. Unknown keys,
// unset variables and values of the wrong kind are refused with their line.
Result<Config> parse_config(std::string_view text, const std::string& name, const Environment& environment);

}  // namespace sluice::app
