#include "sluice/protocol/model/resource.h"

#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/writer.h"

namespace sluice::protocol {

Error resource_not_found(std::string_view uri) {
  json::Writer data;
  data.begin_object().field("uri", uri).end_object();
  return not_found(fmt::format("Resource not found: {}", excerpt(uri, 200)))
      .with_code("resource_not_found")
      .with_data(std::move(data).take());
}

}  // namespace sluice::protocol
