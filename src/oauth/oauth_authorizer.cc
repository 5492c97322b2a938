#include "sluice/oauth/oauth_authorizer.h"

#include <algorithm>
#include <deque>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/log.h"
#include "sluice/base/mutex.h"
#include "sluice/oauth/www_authenticate.h"

#include "grant_flow.h"

namespace sluice::oauth {

namespace {

// The challenge that we can answer, or nothing.
std::optional<AuthenticateScheme> scheme_of(const std::string& www_authenticate) {
  Result<std::vector<AuthenticateScheme>> schemes = parse_www_authenticate(www_authenticate);
  if (!schemes.ok()) return std::nullopt;  // What cannot be read asks for nothing in particular.
  for (AuthenticateScheme& scheme : *schemes) {
    if (scheme.name == "bearer" || scheme.name == "dpop") return std::move(scheme);
  }
  return std::nullopt;
}

std::string parameter(const std::optional<AuthenticateScheme>& scheme, std::string_view name) {
  const std::string* value = scheme ? scheme->find(name) : nullptr;
  return value == nullptr ? std::string() : *value;
}

class OAuthAuthorizer final : public Authorizer {
 public:
  OAuthAuthorizer(std::unique_ptr<GrantFlow> flow, OAuthParts parts)
      : flow_(std::move(flow)), parts_(parts) {}

  Result<std::vector<Header>> headers(const HttpTarget& target, std::stop_token stop) override {
    const Result<fetch::Url> url = fetch::Url::parse(target.url);
    if (!url.ok() || url->origin() != flow_->resource().origin()) return std::vector<Header>();
    SLUICE_TRY(const std::optional<Usable> usable, usable_grant(stop));
    std::vector<Header> out;
    if (!usable) return out;
    const StoredGrant& grant = usable->grant;
    out.emplace_back("Authorization", grant.token_type + " " + grant.access_token);
    if (grant.token_type == "DPoP")
      out.emplace_back("DPoP", usable->prover->proof(target.method, *url, grant.access_token));
    return out;
  }

  Result<bool> challenged(const Challenge& challenge, std::stop_token stop) override {
    const Result<fetch::Url> url = fetch::Url::parse(challenge.resource_url);
    if (!url.ok() || url->origin() != flow_->resource().origin()) return false;
    const std::optional<AuthenticateScheme> scheme = scheme_of(challenge.www_authenticate);
    MutexLock lock(mutex_);
    const std::uint64_t entered = generation_;
    if (!changed_.wait(mutex_, stop, [&]() SLUICE_REQUIRES(mutex_) { return !is_busy_; })) return cancelled();
    // Another request was refused as well, and has obtained something meanwhile.
    if (generation_ != entered) return true;
    if (takes_nonce(challenge, scheme)) return true;
    if (!is_worth_asking(challenge, scheme)) return false;
    const Turn turn(*this);
    SLUICE_CHECK(load());
    SLUICE_TRY(const bool was_stored, adopt_stored());
    if (was_stored) return true;
    SLUICE_CHECK(count_attempt());
    return obtain(wish_for(challenge, scheme), stop);
  }

 private:
  struct Usable {
    StoredGrant grant;
    std::shared_ptr<DpopProver> prover;  // Not null where the token is bound to a key.
  };

  // Whoever has it is the only one who reads or changes what is stored and what is obtained. The mutex is not
  // held meanwhile: a user may take minutes.
  class SLUICE_SCOPED_CAPABILITY Turn {
   public:
    explicit Turn(OAuthAuthorizer& owner) SLUICE_RELEASE(owner.mutex_) : owner_(owner) {
      owner_.is_busy_ = true;
      owner_.mutex_.unlock();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() SLUICE_RELEASE() {  // Of the scope, which takes the mutex again.
      owner_.mutex_.lock();
      owner_.is_busy_ = false;
      owner_.changed_.notify_all();
    }

   private:
    OAuthAuthorizer& owner_;
  };

  std::optional<StoredGrant> grant() const {
    const MutexLock lock(mutex_);
    return grant_;
  }

  void set_grant(std::optional<StoredGrant> grant) {
    const MutexLock lock(mutex_);
    grant_ = std::move(grant);
    prover_ = flow_->prover();
    ++generation_;
  }

  bool ends_within(const StoredGrant& grant, std::chrono::seconds time) const {
    return grant.expires && *grant.expires <= parts_.clock.wall() + time;
  }

  // What is in use, if it is good for so long.
  std::optional<Usable> good_for(std::chrono::seconds time) const SLUICE_REQUIRES(mutex_) {
    if (!grant_ || ends_within(*grant_, time)) return std::nullopt;
    return Usable{.grant = *grant_, .prover = prover_};
  }

  // A token that is good for some time yet; nothing where a challenge has to come first.
  Result<std::optional<Usable>> usable_grant(std::stop_token stop) {
    MutexLock lock(mutex_);
    if (std::optional<Usable> usable = good_for(kOAuthExpiryLeeway)) return usable;
    if (!changed_.wait(mutex_, stop, [&]() SLUICE_REQUIRES(mutex_) { return !is_busy_; })) return cancelled();
    if (std::optional<Usable> usable = good_for(kOAuthExpiryLeeway)) return usable;
    if (is_loaded_ && !grant_) return std::optional<Usable>();
    {
      const Turn turn(*this);
      SLUICE_CHECK(load());
      SLUICE_CHECK(renew(stop));
    }
    return good_for(std::chrono::seconds(0));
  }

  Status load() {
    {
      const MutexLock lock(mutex_);
      if (std::exchange(is_loaded_, true)) return {};
    }
    SLUICE_TRY(std::optional<StoredGrant> stored, flow_->stored());
    return stored ? adopt(*std::move(stored)) : Status();
  }

  Status adopt(StoredGrant stored) {
    if (!stored.dpop_key.empty()) SLUICE_CHECK(flow_->adopt_key(stored.dpop_key));
    set_grant(std::move(stored));
    return {};
  }

  // Another process that shares the store may have been faster, or a person has agreed there. True: what it
  // got is in use now, and good. What has ended is taken as well, for its refresh token: ours may be used up.
  Result<bool> adopt_stored() {
    const std::optional<StoredGrant> mine = grant();
    SLUICE_TRY(std::optional<StoredGrant> stored, flow_->stored());
    const bool is_same =
        mine && stored && stored->issuer == mine->issuer && stored->access_token == mine->access_token;
    if (!stored || is_same) return false;
    const bool is_good = !ends_within(*stored, kOAuthExpiryLeeway);
    if (!is_good && is_unsaved_) return false;  // Ours is the later one.
    SLUICE_CHECK(adopt(*std::move(stored)));
    return is_good;
  }

  // Before the token ends, where no user is needed for it. A failure is left to the challenge that will come.
  Status renew(std::stop_token stop) {
    std::optional<StoredGrant> mine = grant();
    if (!mine || !ends_within(*mine, kOAuthExpiryLeeway)) return {};
    SLUICE_TRY(const bool was_stored, adopt_stored());
    if (was_stored) return {};
    mine = grant();
    if (flow_->needs_user() && mine->refresh_token.empty()) return {};
    GrantWish wish;
    wish.metadata_url = metadata_url_;
    wish.previous = mine;
    wish.is_previous_stored = !is_unsaved_;
    wish.may_ask_user = false;
    Result<Obtained> renewed = flow_->obtain(wish, stop);
    if (renewed.ok()) {
      keep(*std::move(renewed));
    } else {
      log::warning("oauth.not_renewed", {{"code", renewed.error().code}});
    }
    return {};
  }

  // A server wants a number of its own in the proof: no new token is needed.
  bool takes_nonce(const Challenge& challenge, const std::optional<AuthenticateScheme>& scheme)
      SLUICE_REQUIRES(mutex_) {
    if (challenge.dpop_nonce.empty() || !grant_ || grant_->token_type != "DPoP") return false;
    const bool is_new = prover_->set_nonce(flow_->resource().origin(), challenge.dpop_nonce);
    return is_new && challenge.status == 401 && parameter(scheme, "error") == "use_dpop_nonce";
  }

  bool is_worth_asking(const Challenge& challenge, const std::optional<AuthenticateScheme>& scheme) const
      SLUICE_REQUIRES(mutex_) {
    if (challenge.status == 401) return true;
    if (challenge.status != 403 || parameter(scheme, "error") != "insufficient_scope") return false;
    const Scopes wanted = parse_scopes(parameter(scheme, "scope"));
    // What has been asked for and not granted will not be granted the next time.
    return !wanted.empty() && !(grant_ && contains_all(grant_->scopes, wanted));
  }

  // Whatever a server says, it cannot send a user round and round.
  Status count_attempt() {
    const Monotonic now = parts_.clock.now();
    while (!attempts_.empty() && attempts_.front() + kOAuthAttemptsWindow <= now) attempts_.pop_front();
    if (attempts_.size() >= kOAuthAttemptsMax)
      return make_error(ErrorKind::kUnauthenticated,
                        fmt::format("authorize: refused again after {} attempts within {} seconds",
                                    kOAuthAttemptsMax, kOAuthAttemptsWindow.count()))
          .with_code("oauth_loop")
          .with_hint(
              "The server refuses every token. Try again in a minute; if that does not help, its "
              "operator has to look.");
    attempts_.push_back(now);
    return {};
  }

  GrantWish wish_for(const Challenge& challenge, const std::optional<AuthenticateScheme>& scheme) {
    GrantWish wish;
    if (const std::string url = parameter(scheme, "resource_metadata"); !url.empty()) wish.metadata_url = url;
    metadata_url_ = wish.metadata_url;
    wish.scopes = parse_scopes(parameter(scheme, "scope"));
    wish.wants_dpop = scheme && scheme->name == "dpop";
    wish.previous = grant();
    wish.is_previous_stored = !is_unsaved_;
    // A token that was refreshed a moment ago and is refused needs more than another refresh.
    const Monotonic now = parts_.clock.now();
    wish.may_refresh = challenge.status == 401 && !(refreshed_ && *refreshed_ + kOAuthAttemptsWindow > now);
    if (wish.may_refresh && wish.previous && !wish.previous->refresh_token.empty()) refreshed_ = now;
    return wish;
  }

  Result<bool> obtain(const GrantWish& wish, std::stop_token stop) {
    Result<Obtained> made = flow_->obtain(wish, stop);
    if (!made.ok()) {
      // Nobody was sent anywhere. Whoever comes later must not be told of attempts that were none.
      if (made.error().code == "user_absent") attempts_.pop_back();
      return std::move(made).error();
    }
    Obtained obtained = *std::move(made);
    if (wish.previous && wish.previous->issuer != obtained.grant.issuer)
      log::info("oauth.issuer_changed", {{"origin", flow_->resource().origin()}});
    keep(std::move(obtained));
    return true;
  }

  void keep(Obtained obtained) {
    const Status saved = obtained.is_stored ? Status() : parts_.tokens.save(obtained.grant);
    is_unsaved_ = !saved.ok();
    if (is_unsaved_) log::warning("oauth.not_stored", {{"code", saved.error().code}});
    set_grant(std::move(obtained.grant));
  }

  const std::unique_ptr<GrantFlow> flow_;  // By whoever has the turn.
  const OAuthParts parts_;
  mutable Mutex mutex_;
  CondVar changed_;
  bool is_busy_ SLUICE_GUARDED_BY(mutex_) = false;
  bool is_loaded_ SLUICE_GUARDED_BY(mutex_) = false;
  std::optional<StoredGrant> grant_ SLUICE_GUARDED_BY(mutex_);
  std::shared_ptr<DpopProver> prover_
      SLUICE_GUARDED_BY(mutex_);  // Of grant_; shared with the flow and with proofs in the making.
  std::uint64_t generation_ SLUICE_GUARDED_BY(mutex_) = 0;  // Of grant_.
  std::deque<Monotonic> attempts_;                          // By whoever has the turn, and the rest as well.
  std::optional<Monotonic> refreshed_;  // When a challenge was last answered by a refresh.
  std::optional<std::string> metadata_url_;
  bool is_unsaved_ = false;  // What is in use could not be stored.
};

}  // namespace

Result<std::unique_ptr<Authorizer>> make_oauth_authorizer(OAuthOptions options, OAuthParts parts) {
  SLUICE_TRY(std::unique_ptr<GrantFlow> flow, GrantFlow::create(std::move(options), parts));
  return std::unique_ptr<Authorizer>(std::make_unique<OAuthAuthorizer>(std::move(flow), parts));
}

}  // namespace sluice::oauth
