// Only what was signed is accepted, only for its purpose, and only unchanged.
#include "sluice/crypto/signer.h"

#include "property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const sluice::crypto::Signer kSigner(std::string(32, 'k'));
  const std::string_view text = text_of(data, size);
  require(!kSigner.verify("fuzz", text).has_value(), "what was not signed is refused");
  std::string token = kSigner.sign("fuzz", text);
  require(kSigner.verify("fuzz", token) == text, "what was signed is accepted");
  require(!kSigner.verify("other", token).has_value(), "a token is good for one purpose");
  const std::size_t at = size % token.size();
  token[at] = token[at] == 'A' ? 'B' : 'A';
  require(!kSigner.verify("fuzz", token).has_value(), "a changed token is refused");
  return 0;
}
