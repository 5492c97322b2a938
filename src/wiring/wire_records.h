#pragma once

#include <memory>
#include <string>

#include "sluice/catalog/provider.h"
#include "sluice/config/config.h"
#include "sluice/records/store.h"
#include "sluice/wiring/source_check.h"

namespace sluice::wiring {

// The store of the `records:` section, which must be there. Its engine spills to the folder, if one is given.
Result<std::unique_ptr<records::Store>> open_records(const config::Config& config,
                                                     const std::string& scratch_folder = {});

// `store` must outlive it. Where `get_schema` of the datasets is offered, the data types are asked through
// that.
std::shared_ptr<catalog::Provider> make_records_provider(const config::Config& config, records::Store& store);

// What of the store works, data type by data type, and what does not and why.
std::vector<CheckLine> check_records(const config::Config& config);

}  // namespace sluice::wiring
