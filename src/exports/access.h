#pragma once

#include <optional>
#include <utility>

#include "sluice/base/principal.h"
#include "sluice/protocol/exchange.h"

namespace sluice::exports {

// For whom a request is answered. Every download and every REST request passes here once its principal is
// known and before any data is looked at: what a caller may do is decided in this place.
class Access {
 public:
  // By the credentials of the request. Nothing where it has none, which only open routes let through.
  static std::optional<Access> of_request(const protocol::Inbound& inbound);
  // The owner of a handle, for whom a signed link speaks.
  static Access of_link(const Principal& owner) { return Access(owner); }

  const Principal& principal() const { return principal_; }

 private:
  explicit Access(Principal principal) : principal_(std::move(principal)) {}

  Principal principal_;
};

}  // namespace sluice::exports
