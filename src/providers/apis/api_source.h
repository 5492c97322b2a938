#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/apis/api_spec.h"
#include "sluice/base/clock.h"
#include "sluice/base/principal.h"
#include "sluice/base/result.h"
#include "sluice/fetch/client.h"

#include "answer_cache.h"
#include "endpoint.h"

namespace sluice::apis {

struct Caller {
  Principal principal;
  std::stop_token stop;
  Monotonic deadline;
};

// What was seen of a resource when it was last looked at.
struct Seen {
  bool is_known = false;
  std::string etag;
  std::string last_modified;
  std::string digest;
};

// One API: its endpoints, and the way to it. Any thread.
class ApiSource {
 public:
  // `clock` and `cache` must outlive it.
  static Result<std::unique_ptr<ApiSource>> open(const ApiSpec& spec, const Clock& clock, AnswerCache& cache);

  const ApiSpec& spec() const { return spec_; }
  const std::vector<Endpoint>& endpoints() const { return endpoints_; }
  const Endpoint* find(std::string_view endpoint) const;

  // From the cache, or from the API. kNotFound where the API has nothing there.
  Result<Kept> load(const Endpoint& endpoint, const fetch::Url& url, const Caller& caller);

  // Whether the resource is another than it was. The first look says no. What is kept of it is forgotten
  // then, so that whoever reads next sees what was seen here.
  Result<bool> look(const Endpoint& endpoint, const fetch::Url& url, Seen& seen, std::stop_token stop);

  // Asks once, whatever is kept.
  Result<fetch::Response> ask_once(const fetch::Url& url, std::chrono::milliseconds timeout);
  const fetch::Url& base() const { return base_; }

 private:
  ApiSource(const ApiSpec& spec, const Clock& clock, AnswerCache& cache);
  fetch::Request request_for(const fetch::Url& url) const;
  static std::string key_text(const Endpoint& endpoint, const fetch::Url& url);
  Result<std::shared_ptr<const Answer>> ask(const Endpoint& endpoint, fetch::Request request,
                                            const Answer* old);

  const ApiSpec spec_;
  const Clock& clock_;
  AnswerCache& cache_;
  fetch::Url base_;
  std::vector<Endpoint> endpoints_;
  std::unique_ptr<fetch::Client> client_;
};

}  // namespace sluice::apis
