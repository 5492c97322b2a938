#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sluice/base/limits.h"

namespace sluice::apis {

// What is known of a parameter beside its name.
struct ParameterSpec {
  std::string name;
  bool required = false;            // Those in a path always are.
  std::vector<std::string> values;  // All that it can be. Empty: anything.
  std::string description;
};

struct EndpointSpec {
  std::string name;  // Letters, digits, '-', '_' and '.'.
  std::string path;  // "/users/{user_id}": each parameter within one segment.
  std::string description;
  std::string mime_type;  // What lists say of it; a read says what came. Empty: it is not known.
  // In order. A value is fixed text, or one parameter: "{verbose}".
  std::vector<std::pair<std::string, std::string>> query;
  std::vector<ParameterSpec> parameters;
  // How an answer names the next page: "link" for its Link header, or a JSON pointer. Empty: it does not.
  std::string next;
};

// An HTTP API whose endpoints are resources.
struct ApiSpec {
  std::string name;
  std::string base;                                          // "https://api.example.org/v1"
  std::vector<std::pair<std::string, std::string>> headers;  // Secrets: they go to the base's origin alone.
  std::vector<std::string> allowed_origins;  // Where redirects may lead, beside the base's own.
  bool allow_private = false;
  std::string ca_file;
  std::string proxy;
  std::chrono::milliseconds ttl{60'000};
  std::chrono::milliseconds poll{30'000};
  std::chrono::milliseconds timeout = kFetchTotalTimeout;
  std::size_t bytes_max = kFetchBytesMax;
  std::vector<EndpointSpec> endpoints;
};

}  // namespace sluice::apis
