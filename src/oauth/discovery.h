#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "sluice/base/result.h"
#include "sluice/fetch/url.h"

#include "http.h"
#include "metadata.h"

namespace sluice::oauth {

// Finds out who issues tokens for a resource. Any thread.
class Discovery {
 public:
  struct Options {
    fetch::Url resource;               // The MCP endpoint.
    bool may_guess_endpoints = false;  // As in 2025-03-26.
  };
  // `http` must outlive it.
  Discovery(OAuthHttp& http, Options options);

  // From the URL of a challenge, else from the well-known places, with the path first.
  // oauth_resource_mismatch where the document is about something else.
  Result<ResourceMetadata> resource(const std::optional<std::string>& challenge_url, std::stop_token stop);

  // From the well-known places of an issuer. oauth_no_server where there is nothing.
  Result<ServerMetadata> server(const ResourceMetadata& resource, const std::string& issuer,
                                std::stop_token stop);

  Loopback loopback() const { return loopback_; }

 private:
  Result<std::optional<ResourceMetadata>> resource_at(const fetch::Url& url, std::stop_token stop);
  Status check_resource(const ResourceMetadata& metadata, const fetch::Url& document) const;

  OAuthHttp& http_;
  const Options options_;
  const Loopback loopback_;
};

}  // namespace sluice::oauth
