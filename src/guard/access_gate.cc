#include "sluice/guard/access_gate.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/catalog/tool_rules.h"
#include "sluice/crypto/digest.h"
#include "sluice/json/value.h"

namespace sluice::guard {
namespace {

constexpr std::chrono::minutes kLeaseMax{5};
constexpr std::chrono::seconds kProviderRetryAfter{5};

Error unauthenticated_caller(std::string_view why) {
  return unauthenticated(why)
      .with_code("unauthenticated")
      .with_hint("Send Authorization: Bearer <token> with a token of this server.");
}

// nullopt: the tool is none of this upstream.
std::optional<bool> only_reads(std::string_view tool, const UpstreamTools& upstream) {
  const std::string& space = upstream.name_space;
  const bool is_of_it = tool.starts_with(space) && tool.size() > space.size() &&
                        (tool[space.size()] == '.' || tool[space.size()] == '_');
  if (!is_of_it) return std::nullopt;
  const std::string_view name = tool.substr(space.size() + 1);
  return std::any_of(upstream.reads.begin(), upstream.reads.end(),
                     [&](const std::string& pattern) { return catalog::matches_glob(pattern, name); });
}

Refusal turned_away(const std::string& id) {
  log::info("auth.denied", {{"principal", id}});
  return {.error = forbidden("this caller is turned away").with_code("access_denied")};
}

bool has_scope(const CallerIdentity& identity, const std::string& scope) {
  return std::find(identity.scopes.begin(), identity.scopes.end(), scope) != identity.scopes.end();
}

}  // namespace

AccessGate::AccessGate(AccessSpec spec, StaticTokens tokens,
                       std::vector<std::shared_ptr<const Issuer>> issuers, const Clock& clock)
    : spec_(std::move(spec)),
      tokens_(std::move(tokens)),
      issuers_(std::move(issuers)),
      challenges_(spec_),
      clock_(clock) {}

Result<std::shared_ptr<AccessGate>> AccessGate::create(AccessSpec spec,
                                                       std::vector<std::shared_ptr<const Issuer>> issuers,
                                                       const Clock& clock) {
  SLUICE_TRY(StaticTokens tokens, StaticTokens::create(spec.tokens));
  return std::shared_ptr<AccessGate>(
      new AccessGate(std::move(spec), std::move(tokens), std::move(issuers), clock));
}

Refusal AccessGate::refuse(TokenFault fault) const {
  return {.error = unauthenticated_caller(describe(fault)).with_code("invalid_token"),
          .challenge = challenges_.invalid_token(fault)};
}

Refusal AccessGate::identity_provider_down() const {
  return {.error = unavailable("the identity provider cannot be reached")
                       .with_code("identity_provider_unavailable")
                       .with_hint("Keep the token and try again in a few seconds."),
          .retry_after = kProviderRetryAfter};
}

void AccessGate::authenticate(const catalog::Credentials& credentials, AdmissionDone done) {
  const auto for_ever = [this] {
    return std::make_shared<const AdmissionLease>(std::vector<AdmissionLease::Ended>{retired_},
                                                  Monotonic::max());
  };
  if (!requires_token()) return done(Admitted{.principal = local_principal(), .lease = for_ever()});
  const std::string_view header = credentials.authorization;
  constexpr std::string_view kScheme = "bearer ";
  const auto is_bearer = [&] {
    return header.size() <= kJwtBytesMax + kScheme.size() &&
           equal_ignoring_case(header.substr(0, kScheme.size()), kScheme);
  };
  if (header.empty() || !is_bearer()) {
    return done(Refusal{.error = unauthenticated_caller(
                            header.empty() ? "no bearer token" : "Authorization is not a bearer token"),
                        .challenge = challenges_.no_credentials()});
  }
  const std::string_view token = trim_spaces(header.substr(kScheme.size()));
  std::string digest = crypto::sha256(token);
  if (const Principal* known = tokens_.find(digest)) {
    if (is_denied(known->id)) return done(turned_away(known->id));
    return done(Admitted{.principal = *known, .lease = for_ever()});
  }
  if (std::optional<Admitted> known = cache_.find(digest, clock_.now())) return done(*std::move(known));
  Presented presented{.token = std::string(token), .digest = std::move(digest), .done = std::move(done)};
  if (!issuers_.empty() && form_of(token) == TokenForm::kJwt)
    return verify(std::move(presented), Keys::kMayBeLoaded);
  if (!issuers_.empty() && form_of(token) == TokenForm::kOpaque) return introspect(std::move(presented));
  if (!issuers_.empty()) return presented.done(refuse(TokenFault::kMalformed));
  presented.done(Refusal{.error = unauthenticated_caller("unknown bearer token"),
                         .challenge = challenges_.no_credentials()});
}

void AccessGate::verify(Presented presented, Keys keys) {
  const std::variant<Jwt, TokenFault> parsed = parse_jwt(presented.token);
  if (const TokenFault* fault = std::get_if<TokenFault>(&parsed)) return presented.done(refuse(*fault));
  const Jwt& jwt = std::get<Jwt>(parsed);
  const IssuerSpec* spec = find_issuer(jwt, spec_.issuers);
  if (spec == nullptr) return presented.done(refuse(TokenFault::kIssuer));
  const Issuer& issuer = *issuers_[static_cast<std::size_t>(spec - spec_.issuers.data())];
  const std::shared_ptr<const KeySet> known = issuer.keys->loaded().keys;
  if (known == nullptr) {
    if (keys == Keys::kMayBeLoaded) return load_keys(std::move(presented), issuer);
    return presented.done(identity_provider_down());
  }
  JwtVerdict verdict =
      verify_jwt(jwt, *known, {.issuer = *spec, .now = clock_.wall(), .clock_skew = spec_.clock_skew});
  if (const TokenFault* fault = std::get_if<TokenFault>(&verdict)) return presented.done(refuse(*fault));
  if (std::holds_alternative<UnknownKey>(verdict)) {
    if (keys == Keys::kMayBeLoaded) return load_keys(std::move(presented), issuer);
    // A provider that was asked in vain may have the key: its tokens must not be thrown away.
    return presented.done(keys == Keys::kCannotBeLoaded ? identity_provider_down()
                                                        : refuse(TokenFault::kSignature));
  }
  auto& verified = std::get<VerifiedJwt>(verdict);
  accept(std::move(presented), std::move(verified.caller), {retired_, std::move(verified.key_removed)},
         kLeaseMax);
}

void AccessGate::load_keys(Presented presented, const Issuer& issuer) {
  // Shared, as a callback must be copyable; it is called once.
  auto waiting = std::make_shared<Presented>(std::move(presented));
  issuer.keys->want_newer([self = shared_from_this(), waiting](KeySource::Outcome outcome) {
    self->verify(std::move(*waiting),
                 outcome == KeySource::Outcome::kLoaded ? Keys::kWereLoaded : Keys::kCannotBeLoaded);
  });
}

void AccessGate::introspect(Presented presented) {
  const auto asked = std::find_if(issuers_.begin(), issuers_.end(),
                                  [](const auto& each) { return each->introspection != nullptr; });
  if (asked == issuers_.end()) return presented.done(refuse(TokenFault::kMalformed));
  auto waiting = std::make_shared<Presented>(std::move(presented));
  (*asked)->introspection->ask(
      {.token = waiting->token, .digest = waiting->digest, .clock_skew = spec_.clock_skew},
      [self = shared_from_this(), waiting,
       cache = (*asked)->introspection->cache()](const IntrospectionVerdict& verdict) {
        if (std::holds_alternative<IssuerDown>(verdict)) return waiting->done(self->identity_provider_down());
        if (const TokenFault* fault = std::get_if<TokenFault>(&verdict))
          return waiting->done(self->refuse(*fault));
        self->accept(std::move(*waiting), std::get<VerifiedCaller>(verdict), {self->retired_}, cache);
      });
}

bool AccessGate::is_denied(const std::string& id) const {
  return std::find(spec_.denied.begin(), spec_.denied.end(), id) != spec_.denied.end();
}

void AccessGate::accept(Presented presented, VerifiedCaller caller, std::vector<AdmissionLease::Ended> ended,
                        std::chrono::milliseconds lease_max) {
  const std::string id = fmt::format("{}:{}", caller.identity.issuer, caller.subject);
  if (is_denied(id)) return presented.done(turned_away(id));
  log::debug("auth.accepted", {{"principal", id},
                               {"display", caller.identity.display},
                               {"client", caller.identity.client_id},
                               {"groups", caller.identity.groups.size()}});
  if (!caller.identity.are_groups_known) log::warning("auth.groups_overage", {{"principal", id}});
  const auto left =
      std::chrono::duration_cast<Monotonic::duration>(caller.identity.accepted_until - clock_.wall());
  const Monotonic until = clock_.now() + std::min<Monotonic::duration>(left, lease_max);
  Admitted admitted{.principal = {.id = id},
                    .identity = std::make_shared<const CallerIdentity>(std::move(caller.identity)),
                    .lease = std::make_shared<const AdmissionLease>(std::move(ended), until)};
  cache_.put(presented.digest, admitted);
  presented.done(std::move(admitted));
}

std::optional<Refusal> AccessGate::allow(const catalog::Caller& caller,
                                         const std::vector<catalog::Operation>& operations) {
  if (is_denied(caller.principal.id)) return turned_away(caller.principal.id);
  if (!spec_.scopes || caller.identity == nullptr) return std::nullopt;
  const bool may_write = has_scope(*caller.identity, spec_.scopes->write);
  if (may_write) return std::nullopt;
  const auto writes = [&](const catalog::Operation& operation) {
    if (operation.method != "tools/call") return operation.effect == catalog::Effect::kWrites;
    for (const UpstreamTools& upstream : spec_.upstreams) {
      if (const std::optional<bool> reads = only_reads(operation.target, upstream)) return !*reads;
    }
    return operation.effect == catalog::Effect::kWrites;
  };
  const bool needs_write = std::any_of(operations.begin(), operations.end(), writes);
  if (!needs_write && has_scope(*caller.identity, spec_.scopes->read)) return std::nullopt;
  std::vector<std::string> needed = {spec_.scopes->read};
  if (needs_write) needed.push_back(spec_.scopes->write);
  json::Array names;
  for (const std::string& scope : needed) names.emplace_back(spec_.scopes->prefix + scope);
  json::Object data;
  data.set("required_scopes", std::move(names));
  return Refusal{.error = forbidden("the token lacks a scope: " + needed.back())
                              .with_code("insufficient_scope")
                              .with_hint("Get a token with the scopes in required_scopes.")
                              .with_data(json::to_text(data)),
                 .challenge = challenges_.insufficient_scope(needed)};
}

std::optional<std::string> AccessGate::metadata_at(std::string_view path) const {
  if (!challenges_.is_metadata_path(path)) return std::nullopt;
  return challenges_.metadata();
}

}  // namespace sluice::guard
