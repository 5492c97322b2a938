#pragma once

#include <optional>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/json/object_reader.h"
#include "sluice/protocol/model/annotations.h"
#include "sluice/protocol/model/resource.h"

// Fields that many objects of the protocol have.
namespace sluice::protocol {

Result<std::vector<Icon>> decode_icons(const json::ObjectReader& in);
Result<std::optional<Annotations>> decode_annotations(const json::ObjectReader& in);
json::Object decode_meta_field(const json::ObjectReader& in);  // Empty where there is none.
Result<Resource> decode_resource_fields(const json::ObjectReader& in);

}  // namespace sluice::protocol
