#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/ckan/portal_spec.h"
#include "sluice/fetch/url.h"

namespace sluice::ckan {

// A portal and how it is reached.
struct Portal {
  PortalSpec spec;
  fetch::Url base;
  bool is_configured = false;  // By the operator, or known to the program.

  std::string server_url() const;  // The base, without a slash at its end.
  Result<fetch::Url> action_url(std::string_view action, std::string_view query) const;
};
using PortalPtr = std::shared_ptr<const Portal>;  // Shared by the directory and whoever asks the portal.

// Which portal is meant by what a caller writes. Immutable.
class Directory {
 public:
  // Fails where a portal of the configuration makes no sense: invalid_portal.
  static Result<Directory> create(const CkanSpec& spec);

  // "dati.gov.it", "localhost:5000", "city": what stands in a URI behind ckan://.
  Result<PortalPtr> find_server(std::string_view authority) const;
  // `server_url` of a tool: the URL of a portal, or what find_server takes.
  Result<PortalPtr> find_url(std::string_view url) const;

  // What callers may write for {server}, those of the operator first.
  const std::vector<std::string>& names() const { return names_; }
  // Whether public hosts that nobody has named are taken for portals.
  bool takes_others() const { return !portals_only_; }
  // The portals of the operator, and those that are known where any public host may be asked.
  const std::vector<PortalPtr>& portals() const { return portals_; }

 private:
  Status add(const PortalSpec& spec);
  PortalPtr known(std::string_view name) const;  // Null where nobody has said anything of it.
  Result<PortalPtr> unknown(const fetch::Url& url) const;

  bool portals_only_ = false;
  std::vector<PortalPtr> portals_;
  std::vector<std::string> names_;
  std::map<std::string, PortalPtr, std::less<>> by_name_;
};

}  // namespace sluice::ckan
