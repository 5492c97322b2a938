// A challenge is parsed or refused, and what is parsed keeps within its bounds.
#include "sluice/oauth/www_authenticate.h"

#include "sluice/base/limits.h"

#include "property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto schemes = sluice::oauth::parse_www_authenticate(text_of(data, size));
  if (!schemes.ok()) {
    require(schemes.error().code == "invalid_challenge", "a refusal has one code");
    return 0;
  }
  require(schemes->size() <= sluice::kChallengeSchemesMax, "there are not too many challenges");
  for (const auto& scheme : *schemes) {
    require(!scheme.name.empty(), "a challenge has a name");
    require(scheme.parameters.size() <= sluice::kChallengeParametersMax, "there are not too many parameters");
    for (const auto& [name, value] : scheme.parameters) {
      require(!name.empty(), "a parameter has a name");
      require(value.size() <= size, "a value is no longer than its text");
    }
  }
  return 0;
}
