// Whatever a token says, it is verified by a key of the set or not at all, and what comes out of it can be
// shown.
#include <variant>

#include "sluice/guard/jwt_verification.h"

#include "property.h"

namespace {

using sluice::guard::Jwt;
using sluice::guard::TokenFault;

sluice::guard::IssuerSpec issuer() {
  sluice::guard::IssuerSpec spec;
  spec.name = "corp";
  spec.issuer = "https://id.example.org";
  spec.audiences = {"https://data.example.org/mcp"};
  spec.algorithms = {sluice::crypto::JwsAlgorithm::kRs256, sluice::crypto::JwsAlgorithm::kEs256};
  spec.types = {"at+jwt", "jwt"};
  spec.scopes = {sluice::guard::ClaimPointer::parse("/scope").value()};
  spec.groups = {sluice::guard::ClaimPointer::parse("/realm_access/roles").value()};
  spec.display = {sluice::guard::ClaimPointer::parse("/name").value()};
  return spec;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  static const sluice::guard::IssuerSpec spec = issuer();
  static const sluice::guard::KeySet none;
  const sluice::guard::ClaimRules rules{.issuer = spec,
                                        .now = sluice::WallTime(std::chrono::seconds(1'795'132'800)),
                                        .clock_skew = std::chrono::seconds(30)};
  const auto form = sluice::guard::form_of(text);
  const std::variant<Jwt, TokenFault> parsed = sluice::guard::parse_jwt(text);
  if (const Jwt* jwt = std::get_if<Jwt>(&parsed)) {
    require(form == sluice::guard::TokenForm::kJwt, "what is read as a JSON Web Token looks like one");
    require(!std::holds_alternative<sluice::guard::VerifiedJwt>(sluice::guard::verify_jwt(*jwt, none, rules)),
            "nothing is verified without keys");
    const auto caller = sluice::guard::read_claims(jwt->claims, rules);
    if (const auto* good = std::get_if<sluice::guard::VerifiedCaller>(&caller)) {
      require(sluice::guard::is_printable_name(good->subject), "a subject can be shown");
      for (const std::string& group : good->identity.groups)
        require(sluice::guard::is_printable_name(group), "a group can be shown");
    }
  }
  const auto keys = sluice::guard::KeySet::parse(text);
  if (keys.ok()) require(keys->size() <= sluice::guard::kKeySetKeysMax, "a key set is bounded");
  return 0;
}
