// Whatever metadata says, no endpoint comes out of it that may not be asked.
#include "metadata.h"
#include "property.h"

namespace {

using sluice::oauth::Loopback;

void check(const std::optional<sluice::fetch::Url>& url, Loopback loopback) {
  if (!url) return;
  const bool is_here = sluice::oauth::is_loopback(*url);
  require(url->is_https() || is_here, "an endpoint is https, or on loopback");
  require(!is_here || loopback == Loopback::kAllowed, "loopback is for those who are there");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  for (const Loopback loopback : {Loopback::kRefused, Loopback::kAllowed}) {
    const auto server = sluice::oauth::decode_server_metadata(text, "https://as.example.org", loopback);
    if (!server.ok()) continue;
    require(server->issuer == "https://as.example.org", "the issuer is the one that was asked");
    check(server->authorization_endpoint, loopback);
    check(server->token_endpoint, loopback);
    check(server->registration_endpoint, loopback);
  }
  const auto resource = sluice::oauth::decode_resource_metadata(text);
  if (!resource.ok()) return 0;
  for (const std::string& scope : resource->scopes_supported) {
    require(!scope.empty() && scope.find_first_of(" \"\\\n") == std::string::npos, "a scope is one");
  }
  return 0;
}
