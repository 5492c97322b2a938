#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/limits.h"
#include "sluice/base/result.h"
#include "sluice/fetch/url.h"

namespace sluice::fetch {

// Names in whatever case; those of an answer are in lower case.
using Headers = std::vector<std::pair<std::string, std::string>>;
// The first of that name, whatever the case. Null where there is none.
const std::string* find_header(const Headers& headers, std::string_view name);

// Headers that go to one origin and never to another, whatever an answer says.
struct Credentials {
  std::string origin;  // As Url::origin has it.
  Headers headers;
};

struct FetchLimits {
  std::size_t bytes_max = kFetchBytesMax;  // Of the body, as it came and again when it is decompressed.
  std::chrono::milliseconds connect = kFetchConnectTimeout;
  std::chrono::milliseconds idle = kFetchIdleTimeout;    // Between two bytes.
  std::chrono::milliseconds total = kFetchTotalTimeout;  // With all redirects.
  std::size_t redirects_max = kFetchRedirectsMax;
};

struct Request {
  std::string method = "GET";
  Url url;
  Headers headers;
  Credentials credentials;
  std::string body;
  bool decompress = true;  // False: nothing is asked to be compressed, and what is stays as it came.
  FetchLimits limits;
  std::optional<Monotonic> deadline;  // Beside `limits.total`.
  std::stop_token stop;
};

struct Head {
  int status = 0;
  Headers headers;
  Url url;  // Where the answer came from, after redirects.
};

struct Response {
  Head head;
  std::string body;
};

enum class Flow : std::uint8_t {
  kMore,
  kEnough,  // The rest is not wanted, and the transfer has succeeded. The connection goes.
  kLast,    // As kEnough, but if the answer ends immediately, the connection is kept for the next request.
};

// Takes an answer while it arrives, on the thread that asked. It may take its time: nothing is read
// meanwhile, so the other end waits as well.
class Sink {
 public:
  virtual ~Sink() = default;
  // Once, before the first piece. An error ends the transfer and is what the caller gets.
  virtual Status begin(const Head& head) = 0;
  virtual Result<Flow> write(std::string_view piece) = 0;
};

}  // namespace sluice::fetch
