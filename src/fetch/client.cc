#include "sluice/fetch/client.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/fetch/certificates.h"

#include "line_pool.h"
#include "request_headers.h"
#include "transfer.h"

namespace sluice::fetch {

namespace {

class CollectingSink final : public Sink {
 public:
  Status begin(const Head& head) override {
    response_.head = head;
    return {};
  }
  Result<Flow> write(std::string_view piece) override {
    response_.body += piece;
    return Flow::kMore;
  }
  Response take() { return std::move(response_); }

 private:
  Response response_;
};

Error redirect_refused(const Url& from, std::string_view why) {
  return forbidden(fmt::format("fetch {}: it leads elsewhere, {}", from.origin(), why))
      .with_code("redirect_refused");
}

// What a redirect makes of a request, or why it is not followed.
Result<Request> redirected(const Request& request, const Transfer& transfer, const Policy& policy) {
  const Url& from = transfer.parts().url;
  const Result<Url> to = from.resolve(transfer.location());
  if (!to.ok()) return redirect_refused(from, to.error().message);
  if (const Status allowed = check_url(policy, *to); !allowed.ok())
    return redirect_refused(from, "where it may not be followed").with_hint(allowed.error().hint);
  const bool has_credentials = !request.credentials.headers.empty();
  if (has_credentials && from.is_https() && !to->is_https())
    return redirect_refused(from, "from https to http");
  Request next = request;
  next.url = *to;
  const int status = transfer.head().status;
  const bool becomes_get = status == 303 || ((status == 301 || status == 302) && request.method == "POST");
  if (becomes_get && request.method != "HEAD") {
    next.method = "GET";
    next.body.clear();
    erase_header(next.headers, "content-type");
  }
  if (to->origin() == from.origin()) return next;
  if (!next.body.empty()) return redirect_refused(from, "and the body is not for another");
  next.headers = headers_for_anyone(request.headers);
  return next;
}

class PoolClient final : public Client {
 public:
  PoolClient(Policy policy, const Clock& clock)
      : policy_(std::move(policy)), clock_(clock), lines_(policy_.lines_max, policy_.idle_lines_max) {}

  Status stream(const Request& request, Sink& sink) override {
    if (request.stop.stop_requested()) return cancelled();
    Monotonic deadline = clock_.now() + std::min(request.limits.total, kFetchTimeoutMax);
    if (request.deadline) deadline = std::min(deadline, *request.deadline);
    SLUICE_CHECK(check_headers(request));
    SLUICE_CHECK(check_url(policy_, request.url));
    Request current = request;
    for (std::size_t followed = 0;; ++followed) {
      const Headers headers = headers_to_send(current);
      Transfer transfer({.policy = policy_,
                         .request = current,
                         .url = current.url,
                         .headers = headers,
                         .sink = sink,
                         .clock = clock_});
      SLUICE_CHECK(run(transfer, deadline));
      if (!transfer.is_redirect()) return {};
      if (followed >= request.limits.redirects_max)
        return forbidden(fmt::format("fetch {}: more than {} redirects", request.url.origin(),
                                     request.limits.redirects_max))
            .with_code("too_many_redirects");
      SLUICE_TRY(Request next, redirected(current, transfer, policy_));
      current = std::move(next);
    }
  }

 private:
  Status run(Transfer& transfer, Monotonic deadline) {
    const Request& request = transfer.parts().request;
    if (transfer.parts().url.is_https() && policy_.ca_file.empty() && !system_certificates().ok())
      return system_certificates().error();
    SLUICE_TRY(LinePool::Lease line, lines_.take(request.url.origin(), clock_, deadline, request.stop));
    return line->run(transfer, deadline);
  }

  const Policy policy_;
  const Clock& clock_;
  LinePool lines_;
};

}  // namespace

Result<std::unique_ptr<Client>> Client::create(Policy policy, const Clock& clock) {
  SLUICE_CHECK(check_policy(policy));
  return std::make_unique<PoolClient>(std::move(policy), clock);
}

Result<Response> Client::send(const Request& request) {
  CollectingSink sink;
  SLUICE_CHECK(stream(request, sink));
  return sink.take();
}

}  // namespace sluice::fetch
