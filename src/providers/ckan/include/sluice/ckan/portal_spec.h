#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/fetch/rate_limit.h"

namespace sluice::ckan {

// A CKAN portal that somebody has said something about.
struct PortalSpec {
  std::string host;                  // As `ckan://` URIs have it: "dati.gov.it", "localhost:5000", "city".
  std::string base;                  // "https://www.dati.gov.it/opendata". Empty: https and the host.
  std::vector<std::string> aliases;  // Other hosts that mean it.
  std::string api_path = "/api/3/action";
  bool allow_private = false;
  std::string ca_file;
  std::vector<std::string> origins;  // Where its files and redirects may lead, on the same terms as the base.
  fetch::Rate rate;
  bool has_own_rate = false;
  // Whether words are to be looked for in the field `text`; absent: the portal is asked what gives more.
  std::optional<bool> text_field;
  std::string hvd_field;         // Which high-value datasets have. Empty: they are not counted.
  std::string dataset_url;       // A page for people: {server_url}, {id} and {name} are filled in.
  std::string organization_url;  // The same for an organization.
  // An API token of CKAN. Sent to the base's origin with every request, so that all callers see what its
  // account may see. Empty: none.
  std::string token;
};

// Everything about portals in a configuration.
struct CkanSpec {
  std::vector<PortalSpec> portals;
  bool portals_only = false;            // Else any public host is taken for a portal.
  std::vector<std::string> file_hosts;  // Beside the portals' own, where only configured hosts are reached.
  // "http://proxy.example.org:3128" for requests over http and https. Only configured hosts are reached
  // through it, because it is the proxy that resolves names.
  std::string http_proxy;
  std::string https_proxy;
  std::vector<std::string> no_proxy;                      // Hosts, and domains with a leading dot; "*": all.
  std::size_t characters_max = 50'000;                    // UTF-16 units in one answer.
  std::size_t bytes_max = std::size_t{32} * 1024 * 1024;  // Of one answer of a portal, also decompressed.
  std::chrono::milliseconds timeout{30'000};
  std::vector<std::string> tools;                          // Those that are offered. Empty: all.
  std::uint64_t file_bytes_max = std::uint64_t{1} << 30U;  // Of one file, also decompressed.
  std::chrono::milliseconds file_timeout{600'000};
};

// Portals that are known without a configuration.
const std::vector<PortalSpec>& known_portals();

}  // namespace sluice::ckan
