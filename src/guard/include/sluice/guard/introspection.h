#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"
#include "sluice/guard/key_source.h"
#include "sluice/guard/token_claims.h"

namespace sluice::guard {

inline constexpr unsigned kIntrospectionThreads = 4;  // Questions to one issuer at a time.

// The issuer could not be asked.
struct IssuerDown {};
using IntrospectionVerdict = std::variant<VerifiedCaller, TokenFault, IssuerDown>;

// Asks one issuer about opaque tokens (RFC 7662). Concurrent questions about one token are asked once, and
// that a token is not good is remembered for a few seconds. Any thread.
class Introspection {
 public:
  // `clock` must outlive it. `keys` is shared with whoever verifies tokens of the issuer.
  Introspection(IssuerSpec spec, std::shared_ptr<KeySource> keys, const Clock& clock);

  struct Question {
    std::string token;
    std::string digest;  // Of the token; what answers are remembered by.
    std::chrono::milliseconds clock_skew{0};
  };
  using Done = std::function<void(const IntrospectionVerdict&)>;
  // `done` is called once, before it returns or later from a thread that runs it.
  void ask(Question question, Done done);

  // Asks until `stop` is requested; then whoever waits gets IssuerDown. Called on several dedicated threads.
  void run(const std::stop_token& stop);

  std::chrono::milliseconds cache() const { return spec_.introspection->cache; }

 private:
  struct Waiting {
    Question question;
    Monotonic since;
    std::vector<Done> done;
  };

  struct NotGood {
    TokenFault fault = TokenFault::kMalformed;
    Monotonic until;
  };

  IntrospectionVerdict judge(const Question& question, const std::stop_token& stop);
  void finish(const std::string& digest, const IntrospectionVerdict& verdict);
  void forget_old() SLUICE_REQUIRES(mutex_);

  const IssuerSpec spec_;
  const std::shared_ptr<KeySource> keys_;
  const Clock& clock_;
  Mutex mutex_;
  CondVar asked_;
  std::deque<std::string> queue_ SLUICE_GUARDED_BY(mutex_);            // Digests that no thread has taken.
  std::map<std::string, Waiting> waiting_ SLUICE_GUARDED_BY(mutex_);   // By digest.
  std::map<std::string, NotGood> not_good_ SLUICE_GUARDED_BY(mutex_);  // By digest.
  std::deque<std::string> not_good_order_ SLUICE_GUARDED_BY(mutex_);   // Oldest first.
};

}  // namespace sluice::guard
