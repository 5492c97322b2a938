#include "sluice/ckan/portal_uri.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/base/uri.h"
#include "sluice/contents/uri_query.h"
#include "sluice/fetch/url.h"

#include "portal/portal_text.h"

namespace sluice::ckan {

namespace {

constexpr std::string_view kScheme = "ckan://";
constexpr std::uint64_t kStartMax = 10'000'000;

struct KindName {
  UriKind kind;
  std::string_view type;
  bool is_list;
};
constexpr std::array<KindName, 7> kKinds = {{{UriKind::kDataset, "dataset", false},
                                             {UriKind::kResource, "resource", false},
                                             {UriKind::kOrganization, "organization", false},
                                             {UriKind::kGroupDatasets, "group", true},
                                             {UriKind::kOrganizationDatasets, "organization", true},
                                             {UriKind::kTagDatasets, "tag", true},
                                             {UriKind::kFormatDatasets, "format", true}}};

Error malformed(std::string_view uri, std::string_view why) {
  return invalid_input(fmt::format("not a URI of a portal, {}: {}", why, excerpt(uri, 200)))
      .with_code("invalid_portal_uri")
      .with_hint(
          "ckan://{server}/dataset/{id}, /resource/{id}, /organization/{name}, or "
          "/{group|organization|tag|format}/{name}/datasets?rows=&start=. Those that are no list take "
          "?offset=&length= in bytes.");
}

Status read_page(std::string_view uri, std::string_view query, PortalUri& out) {
  constexpr std::array<std::string_view, 2> kKnown = {"rows", "start"};
  const std::optional<contents::UriQuery> parsed = contents::UriQuery::parse(query, kKnown);
  if (!parsed) return malformed(uri, "lists of datasets have no parameters but rows and start");
  const auto read = [&](std::string_view name, std::uint64_t most, std::uint64_t& value) {
    if (!parsed->has(name)) return true;
    const std::optional<std::uint64_t> number = parsed->number(name);
    if (!number || *number > most) return false;
    value = *number;
    return true;
  };
  if (!read("rows", kListRowsMax, out.rows) || !read("start", kStartMax, out.start))
    return malformed(uri, fmt::format("rows are 0 to {}, start is 0 to {}", kListRowsMax, kStartMax));
  return {};
}

Status read_range(std::string_view uri, std::string_view query, PortalUri& out) {
  constexpr std::array<std::string_view, 2> kKnown = {"offset", "length"};
  const std::optional<contents::UriQuery> parsed = contents::UriQuery::parse(query, kKnown);
  const std::optional<contents::Range> range = parsed ? parsed->range() : std::nullopt;
  if (!range) return malformed(uri, "only offset and length may follow its path");
  out.range = *range;
  return {};
}

}  // namespace

std::string_view PortalUri::type() const {
  return std::find_if(kKinds.begin(), kKinds.end(), [&](const KindName& each) { return each.kind == kind; })
      ->type;
}

Result<PortalUri> parse_portal_uri(std::string_view uri) {
  std::string_view rest = uri;
  if (!rest.starts_with(kScheme)) return malformed(uri, "it begins otherwise");
  if (rest.find('#') != std::string_view::npos) return malformed(uri, "it has a fragment");
  rest.remove_prefix(kScheme.size());
  std::optional<std::string_view> query;
  if (const std::size_t mark = rest.find('?'); mark != std::string_view::npos) {
    query = rest.substr(mark + 1);
    rest = rest.substr(0, mark);
  }
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t slash = rest.find('/');
    parts.push_back(rest.substr(0, slash));
    if (slash == std::string_view::npos || parts.size() > 4) break;
    rest.remove_prefix(slash + 1);
  }
  if (parts.size() < 3) return malformed(uri, "its path is missing");
  const bool is_list = parts.size() == 4 && parts[3] == "datasets";
  if (parts.size() != 3 && !is_list) return malformed(uri, "there is no such path");
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const KindName& each) {
    return each.type == parts[1] && each.is_list == is_list;
  });
  if (kind == kKinds.end()) return malformed(uri, "there is no such path");
  PortalUri out;
  out.kind = kind->kind;
  out.rows = is_list ? kListRows : 0;
  // A client that expands {server} by RFC 6570 escapes the colon before a port and the brackets of IPv6.
  const Result<std::string> host = percent_decode(parts[0]);
  if (!host.ok() || host->find_first_of("/?#@%\\") != std::string::npos)
    return malformed(uri, "its server is no host");
  const Result<fetch::Url> server = fetch::Url::parse("https://" + *host);
  if (!server.ok()) return malformed(uri, "its server is no host");
  out.authority = to_lower_ascii(*host);
  out.server = server->origin();
  Result<std::string> id = percent_decode(parts[2]);
  if (!id.ok() || !is_portal_name(*id)) return malformed(uri, "what it names cannot be a name");
  out.id = *std::move(id);
  if (query) SLUICE_CHECK(is_list ? read_page(uri, *query, out) : read_range(uri, *query, out));
  return out;
}

}  // namespace sluice::ckan
