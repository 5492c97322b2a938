#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/fetch/message.h"
#include "sluice/fetch/policy.h"

namespace sluice::fetch {

// One request to one URL, redirects not followed, as it is under way: what the library tells of it is checked
// and handed on here. One thread.
class Transfer {
 public:
  struct Parts {
    const Policy& policy;
    const Request& request;
    const Url& url;
    const Headers& headers;  // All that are to be sent.
    Sink& sink;
    const Clock& clock;
  };
  explicit Transfer(const Parts& parts);

  const Parts& parts() const { return parts_; }
  const Head& head() const { return head_; }
  bool is_redirect() const { return location_.has_value(); }
  const std::string& location() const { return *location_; }
  bool is_connected() const { return is_connected_; }
  bool had_enough() const { return had_enough_; }
  // Set once the sink has all that it wants: until then the answer may still come to its end.
  const std::optional<Monotonic>& end_by() const { return end_by_; }
  Monotonic last_activity() const { return last_activity_; }
  // Why it was ended from here, if it was.
  const std::optional<Error>& failure() const { return failure_; }

  // Each is false where the transfer must end; `failure` then says why, unless it has had enough.
  bool take_header(std::string_view line);
  bool take_body(std::string_view piece);
  bool take_count(std::uint64_t bytes);  // Of the body, before it is decompressed.
  bool may_open(const Address& address);
  bool may_use(std::string_view address);  // Of the connection that the request is about to go over.

 private:
  bool fail(Error error);
  bool begin_head(std::string_view line);
  bool end_head();
  bool too_large();

  const Parts parts_;
  Head head_;
  std::optional<std::string> location_;
  std::optional<Error> failure_;
  std::size_t header_bytes_ = 0;
  std::uint64_t body_bytes_ = 0;
  bool is_head_over_ = false;
  bool is_connected_ = false;
  bool had_enough_ = false;
  std::optional<Monotonic> end_by_;
  std::uint64_t dropped_bytes_ = 0;  // After `had_enough_`.
  Monotonic last_activity_;
};

}  // namespace sluice::fetch
