#include "sluice/guard/token_fault.h"

#include <cstdlib>

namespace sluice::guard {

std::string_view describe(TokenFault fault) {
  switch (fault) {
    case TokenFault::kMalformed:
      return "the token is malformed or of a kind that is not accepted";
    case TokenFault::kExpired:
      return "the token has expired";
    case TokenFault::kNotYetValid:
      return "the token is not valid yet";
    case TokenFault::kSignature:
      return "the signature of the token is not valid";
    case TokenFault::kIssuer:
      return "the issuer of the token is not accepted";
    case TokenFault::kAudience:
      return "the token was issued for another audience";
  }
  std::abort();  // The switch names every case.
}

}  // namespace sluice::guard
