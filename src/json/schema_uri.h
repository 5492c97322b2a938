#pragma once

#include <string>
#include <string_view>

#include "sluice/base/result.h"

namespace sluice::json {

// A reference inside a schema, made absolute: the document without its fragment, and the fragment, decoded.
struct SchemaTarget {
  std::string document;
  std::string fragment;
};

// `reference` as seen from `base`, by RFC 3986 section 5.2. Fails on a broken escape in the fragment.
Result<SchemaTarget> resolve_reference(std::string_view base, std::string_view reference);

}  // namespace sluice::json
