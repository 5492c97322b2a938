#pragma once

#include <memory>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/fetch/message.h"
#include "sluice/fetch/policy.h"

namespace sluice::fetch {

// Makes HTTP requests of one source, within its policy. Every address is judged by its value when it is
// connected to, and again whenever a connection is used anew. Redirects are followed one by one, each held
// against the policy; credentials stay with their origin, and are never sent from https to http. There are no
// cookies, no .netrc and no proxies of the environment; certificates are always verified. Any thread.
//
// Errors: invalid_url, origin_refused, address_refused, redirect_refused, too_many_redirects,
// answer_too_large, host_not_found, connect_failed, tls_failed, fetch_timed_out, answer_broken,
// invalid_header. None has more of a URL than its origin.
class Client {
 public:
  // `clock` must outlive the client.
  static Result<std::unique_ptr<Client>> create(Policy policy, const Clock& clock = system_clock());
  virtual ~Client() = default;

  // Whatever the status. Requests wait for one another where there are many.
  virtual Status stream(const Request& request, Sink& sink) = 0;
  Result<Response> send(const Request& request);
};

}  // namespace sluice::fetch
