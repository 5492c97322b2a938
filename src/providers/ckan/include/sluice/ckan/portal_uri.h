#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/contents/uri_query.h"

namespace sluice::ckan {

enum class UriKind : std::uint8_t {
  kDataset,
  kResource,
  kOrganization,
  kGroupDatasets,
  kOrganizationDatasets,
  kTagDatasets,
  kFormatDatasets,
};

// What a `ckan://` URI says.
struct PortalUri {
  std::string authority;  // "dati.gov.it", "localhost:5000", or the name of a configured portal.
  std::string server;     // "https://dati.gov.it": what that means where nothing is configured.
  UriKind kind = UriKind::kDataset;
  std::string id;           // Or name, or format. Decoded.
  std::uint64_t rows = 0;   // Of lists of datasets,
  std::uint64_t start = 0;  // from which one on.
  contents::Range range;    // Of anything else: which bytes of its JSON.

  std::string_view type() const;  // "dataset", "resource", "organization", "group", "tag", "format".
  bool is_list() const { return kind > UriKind::kOrganization; }
};

inline constexpr std::uint64_t kListRows = 100;
inline constexpr std::uint64_t kListRowsMax = 1'000;

// invalid_portal_uri for what is none: without a path, with another one, or with a host that is none.
Result<PortalUri> parse_portal_uri(std::string_view uri);

}  // namespace sluice::ckan
