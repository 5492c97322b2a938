#pragma once

#include "sluice/base/result.h"
#include "sluice/collections/collection_spec.h"

#include "yaml_map.h"

namespace sluice::config {

// The keys `entity` and `topics` of a collection: what its rows are about, for the analysis tools.
Status read_entity(YamlMap& section, collections::CollectionSpec& spec);

}  // namespace sluice::config
