#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"

namespace sluice::oauth {

// A client as an authorization server knows it.
struct StoredClient {
  std::string id;
  std::string secret;  // Only of one that was registered dynamically; configured secrets are not stored.
  std::string auth_method;
  std::string redirect_uri;
  std::optional<WallTime> secret_expires;
  bool is_registered = false;  // Dynamically, by us.
};

// What was obtained from one authorization server for one resource.
struct StoredGrant {
  std::string issuer;
  std::string resource;
  std::string token_endpoint;  // The refresh token goes there and nowhere else.
  StoredClient client;
  std::string access_token;
  std::string token_type;  // "Bearer" or "DPoP".
  std::string refresh_token;
  std::vector<std::string> scopes;  // All that have been asked for.
  std::optional<WallTime> expires;
  std::string dpop_key;  // The private key that the tokens are bound to, as PEM. Empty: none.
};

// Keeps grants by issuer and resource: what one server issued is never found for another. Any thread.
class TokenStore {
 public:
  virtual ~TokenStore() = default;
  virtual Result<std::optional<StoredGrant>> find(const std::string& issuer, const std::string& resource) = 0;
  // What was saved last for the resource, whatever the issuer.
  virtual Result<std::optional<StoredGrant>> latest(const std::string& resource) = 0;
  virtual Result<std::vector<StoredGrant>> all() = 0;  // The latest last.
  virtual Status save(const StoredGrant& grant) = 0;
  // What is removed is not renewed by anybody who still has it.
  virtual Status remove(const std::string& issuer, const std::string& resource) = 0;

  // The right to replace what is stored for a resource by something new, until it is destroyed. Others wait
  // for it, in this process and in those that share the store: a refresh token may be good only once.
  class Hold {
   public:
    virtual ~Hold() = default;
  };
  // Null where nothing can be stored yet. kDeadline, code `locked`, where another has it for too long.
  virtual Result<std::unique_ptr<Hold>> hold(const std::string& resource, std::stop_token stop) = 0;

  // Another text whenever something was saved or removed, also by another process. Cheap.
  virtual std::string version() = 0;
};

// Forgets with the process.
std::unique_ptr<TokenStore> make_memory_token_store();

// A file `tokens.json` (mode 0600) in a folder of its own, which is made where it does not exist and made
// private (mode 0700). Processes may share it. A file that others may read is refused, not repaired: what was
// readable may have been read. Errors: token_store_exposed, token_store_broken, those of the file system.
Result<std::unique_ptr<TokenStore>> make_file_token_store(const std::string& folder);

}  // namespace sluice::oauth
