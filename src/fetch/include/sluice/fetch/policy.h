#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "sluice/base/limits.h"
#include "sluice/base/result.h"
#include "sluice/fetch/url.h"

namespace sluice::fetch {

// Where the requests of one source may go.
struct Policy {
  // Origins ("https://api.example.org:8443") and hosts ("api.example.org": both schemes, any port). Empty:
  // any host. Redirects are held against it as well.
  std::vector<std::string> allowed;
  bool allow_private = false;  // Loopback, private and shared networks too.
  std::string ca_file;         // The only authorities that are trusted, as PEM. Empty: those of the system.
  // "http://proxy.example.org:3128". Names are then resolved by the proxy, so `allowed` must not be empty.
  std::string proxy;
  // Names that are not asked the resolver for, as /etc/hosts has them. What they lead to is checked all the
  // same.
  std::map<std::string, std::vector<std::string>> hosts;
  std::size_t lines_max = kFetchLinesMax;           // Transfers at a time; others wait.
  std::size_t idle_lines_max = kFetchIdleLinesMax;  // Those that keep their connections afterwards.
};

// Fails where the policy itself makes no sense: invalid_policy.
Status check_policy(const Policy& policy);

// Whether a request may be made to the URL, as far as its text tells: origin_refused, address_refused. The
// address that a name leads to is looked at when it is connected to.
Status check_url(const Policy& policy, const Url& url);

// The error for an address that may not be connected to.
Error address_refused(const Url& url, AddressKind kind);

}  // namespace sluice::fetch
