#pragma once

#include <string_view>

#include "sluice/base/error.h"
#include "sluice/base/text.h"

namespace sluice::gateway {

// The same whether it never was, is gone, or belongs to somebody else.
inline Error unknown_artifact(std::string_view id) {
  return not_found("unknown artifact: " + excerpt(id))
      .with_code("unknown_artifact")
      .with_hint("Artifacts are kept for a time. Make it again with the call that made it.");
}

}  // namespace sluice::gateway
