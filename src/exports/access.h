#pragma once

#include <utility>
#include <variant>

#include "sluice/base/admission.h"
#include "sluice/base/principal.h"
#include "sluice/catalog/gate.h"
#include "sluice/protocol/exchange.h"

namespace sluice::exports {

// For whom a request is answered. Every download and every REST request passes here once its principal is
// known and before any data is looked at: what a caller may do is decided in this place.
class Access {
 public:
  // `gate` may be null: everything is allowed.
  using Decision = std::variant<Access, Refusal>;

  // By the credentials of the request. Refused without any, which only open routes let through.
  static Decision of_request(const protocol::Inbound& inbound, const catalog::Operation& operation,
                             catalog::Gate* gate);
  // By a signed link, which speaks for the owner of a handle: it is worth what the owner may do now.
  static Decision of_link(const Principal& owner, const catalog::Operation& operation, catalog::Gate* gate);

  const Principal& principal() const { return principal_; }

 private:
  explicit Access(Principal principal) : principal_(std::move(principal)) {}
  static Decision decide(const catalog::Caller& caller, const catalog::Operation& operation,
                         catalog::Gate* gate);

  Principal principal_;
};

}  // namespace sluice::exports
