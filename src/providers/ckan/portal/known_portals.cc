// The portals that ondata/ckan-mcp-server knows (MIT, data of its src/portals.json at 0.4.119): where their
// API is, what they are also called, and where people look at a dataset.

#include "sluice/ckan/portal_spec.h"

namespace sluice::ckan {

const std::vector<PortalSpec>& known_portals() {
  static const std::vector<PortalSpec> kPortals = {
      {.host = "dati.gov.it",
       .base = "https://www.dati.gov.it/opendata",
       .aliases = {"www.dati.gov.it"},
       .text_field = true,
       .hvd_field = "hvd_category",
       .dataset_url = "https://www.dati.gov.it/view-dataset/dataset?id={id}",
       .organization_url = "https://www.dati.gov.it/view-dataset?organization={name}"},
      {.host = "dati.arpae.it", .base = "https://dati.arpae.it", .aliases = {}, .text_field = true},
      {.host = "dati.anticorruzione.it", .base = "https://dati.anticorruzione.it/opendata", .aliases = {}},
      {.host = "data.gov.uk",
       .base = "https://data.gov.uk",
       .aliases = {"www.data.gov.uk"},
       .api_path = "/api/action",
       .text_field = true,
       .dataset_url = "https://www.data.gov.uk/dataset/{id}/{name}",
       .organization_url = "https://www.data.gov.uk/organization/{name}"},
      {.host = "catalog.data.gov", .base = "https://catalog.data.gov", .aliases = {}, .text_field = true},
      {.host = "open.canada.ca", .base = "https://open.canada.ca/data", .aliases = {}, .text_field = true},
      {.host = "data.gov.au",
       .base = "https://data.gov.au",
       .aliases = {"www.data.gov.au"},
       .dataset_url = "https://data.gov.au/data/dataset/{name}",
       .organization_url = "https://data.gov.au/data/organization/{name}"},
      {.host = "opendata.swiss",
       .base = "https://ckan.opendata.swiss",
       .aliases = {"ckan.opendata.swiss", "www.opendata.swiss"}},
      {.host = "data.stadt-zuerich.ch",
       .base = "https://data.stadt-zuerich.ch",
       .aliases = {"www.data.stadt-zuerich.ch", "ckan-prod.zurich.datopian.com"},
       .organization_url = "https://ckan-prod.zurich.datopian.com/organization/{name}"},
      {.host = "data.gov.ua", .base = "https://data.gov.ua", .aliases = {}, .text_field = false},
      {.host = "dati.regione.sicilia.it",
       .base = "https://dati.regione.sicilia.it",
       .aliases = {},
       .text_field = false},
      {.host = "bdap-opendata.rgs.mef.gov.it",
       .base = "https://bdap-opendata.rgs.mef.gov.it/SpodCkanApi",
       .aliases = {},
       .dataset_url = "https://bdap-opendata.rgs.mef.gov.it/SpodCkanApi/dataset/{name}",
       .organization_url = "https://bdap-opendata.rgs.mef.gov.it/SpodCkanApi/organization/{name}"},
      {.host = "govdata.de",
       .base = "https://ckan.govdata.de",
       .aliases = {"ckan.govdata.de", "www.govdata.de", "data.gov.de", "www.data.gov.de"},
       .dataset_url = "https://ckan.govdata.de/dataset/{name}",
       .organization_url = "https://ckan.govdata.de/organization/{name}"},
  };
  return kPortals;
}

}  // namespace sluice::ckan
