#include "sluice/guard/token_claims.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/text.h"

namespace sluice::guard {
namespace {

constexpr std::size_t kSubjectBytesMax = 256;
constexpr std::size_t kGroupsMax = 1'000;
constexpr std::size_t kScopesMax = 256;
constexpr double kSecondsMax = 253'402'300'799;  // The end of the year 9999.

const std::string* text_claim(const json::Value& claims, std::string_view name) {
  const json::Value* value = claims.find(name);
  return value == nullptr ? nullptr : value->if_string();
}

// Seconds since 1970, also with a fraction. nullopt: not a number that is a time.
std::optional<double> time_claim(const json::Value& value) {
  const json::Number* number = value.if_number();
  if (number == nullptr) return std::nullopt;
  const double seconds = number->as_double();
  if (!std::isfinite(seconds)) return std::nullopt;
  return std::clamp(seconds, -kSecondsMax, kSecondsMax);
}

double seconds_of(WallTime time) { return std::chrono::duration<double>(time.time_since_epoch()).count(); }

bool is_for_us(const json::Value& audience, const std::vector<std::string>& ours) {
  const auto is_ours = [&](const json::Value& each) {
    return each.if_string() != nullptr &&
           std::find(ours.begin(), ours.end(), *each.if_string()) != ours.end();
  };
  const json::Array* list = audience.if_array();
  return list == nullptr ? is_ours(audience) : std::any_of(list->begin(), list->end(), is_ours);
}

// ID tokens carry what only a client needs, refresh tokens say so in a claim, and bound tokens name a key
// that nobody here checks.
bool is_access_token(const json::Value& claims) {
  for (const std::string_view name : {"nonce", "at_hash", "cnf"}) {
    if (claims.find(name) != nullptr) return false;
  }
  const std::string* type = text_claim(claims, "typ");
  if (type == nullptr) return true;
  constexpr std::array<std::string_view, 4> kOthers = {"ID", "Refresh", "Offline", "Logout"};
  return std::none_of(kOthers.begin(), kOthers.end(),
                      [&](std::string_view other) { return equal_ignoring_case(*type, other); });
}

std::optional<TokenFault> check_times(const json::Value& claims, const ClaimRules& rules,
                                      WallTime& accepted_until) {
  const double now = seconds_of(rules.now);
  const double skew = std::chrono::duration<double>(rules.clock_skew).count();
  const json::Value* exp = claims.find("exp");
  const std::optional<double> end = exp == nullptr ? std::nullopt : time_claim(*exp);
  if (!end) return TokenFault::kMalformed;
  if (now >= *end + skew) return TokenFault::kExpired;
  for (const std::string_view name : {"nbf", "iat"}) {
    const json::Value* value = claims.find(name);
    if (value == nullptr) continue;
    const std::optional<double> begin = time_claim(*value);
    if (!begin) return TokenFault::kMalformed;
    if (now + skew < *begin) return TokenFault::kNotYetValid;
  }
  // The clock counts nanoseconds and ends in 2262.
  constexpr double kDaySeconds = 86'400;
  constexpr double kAheadMax = 3'650 * kDaySeconds;
  const double ahead = std::min(*end + skew - now, kAheadMax);
  accepted_until =
      rules.now + std::chrono::duration_cast<WallTime::duration>(std::chrono::duration<double>(ahead));
  return std::nullopt;
}

void add_words(std::string_view text, std::vector<std::string>& out) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0 && out.size() < kScopesMax) out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::vector<std::string> scopes_of(const json::Value& claims, const std::vector<ClaimPointer>& pointers) {
  std::vector<std::string> out;
  for (const ClaimPointer& pointer : pointers) {
    const json::Value* value = pointer.find(claims);
    if (value == nullptr) continue;
    if (const std::string* text = value->if_string()) add_words(*text, out);
    const json::Array* list = value->if_array();
    if (list == nullptr) continue;
    for (const json::Value& each : *list) {
      if (each.if_string() != nullptr) add_words(*each.if_string(), out);
    }
  }
  return out;
}

std::vector<std::string> groups_of(const json::Value& claims, const std::vector<ClaimPointer>& pointers) {
  std::vector<std::string> out;
  const auto add = [&](const json::Value& value) {
    const std::string* text = value.if_string();
    if (text != nullptr && is_printable_name(*text) && out.size() < kGroupsMax) out.push_back(*text);
  };
  for (const ClaimPointer& pointer : pointers) {
    const json::Value* value = pointer.find(claims);
    if (value == nullptr) continue;
    add(*value);
    const json::Array* list = value->if_array();
    if (list != nullptr) std::for_each(list->begin(), list->end(), add);
  }
  return out;
}

// A provider that leaves long lists out says where they could be had: RFC 7662 knows nothing of it, OpenID
// Connect Core does (section 5.6.2).
bool leaves_groups_out(const json::Value& claims) {
  const json::Value* names = claims.find("_claim_names");
  return names != nullptr && names->find("groups") != nullptr;
}

std::string first_text(const json::Value& claims, const std::vector<ClaimPointer>& pointers) {
  for (const ClaimPointer& pointer : pointers) {
    const json::Value* value = pointer.find(claims);
    const std::string* text = value == nullptr ? nullptr : value->if_string();
    if (text != nullptr && is_printable_name(*text)) return *text;
  }
  return {};
}

std::string client_of(const json::Value& claims) {
  for (const std::string_view name : {"client_id", "azp"}) {
    const std::string* text = text_claim(claims, name);
    if (text != nullptr && is_printable_name(*text)) return *text;
  }
  return {};
}

}  // namespace

bool is_printable_name(const std::string& text) {
  return !text.empty() && text.size() <= kSubjectBytesMax && is_valid_utf8(text) &&
         encode_controls(text) == text;
}

std::variant<VerifiedCaller, TokenFault> read_claims(const json::Value& claims, const ClaimRules& rules) {
  VerifiedCaller caller;
  const std::string* subject = text_claim(claims, "sub");
  const json::Value* audience = claims.find("aud");
  if (subject == nullptr || !is_printable_name(*subject) || audience == nullptr || !is_access_token(claims))
    return TokenFault::kMalformed;
  if (!is_for_us(*audience, rules.issuer.audiences)) return TokenFault::kAudience;
  if (const std::optional<TokenFault> fault = check_times(claims, rules, caller.identity.accepted_until))
    return *fault;
  caller.subject = *subject;
  caller.identity.issuer = rules.issuer.name;
  caller.identity.display = first_text(claims, rules.issuer.display);
  caller.identity.client_id = client_of(claims);
  caller.identity.scopes = scopes_of(claims, rules.issuer.scopes);
  caller.identity.groups = groups_of(claims, rules.issuer.groups);
  caller.identity.are_groups_known = !leaves_groups_out(claims);
  return caller;
}

}  // namespace sluice::guard
