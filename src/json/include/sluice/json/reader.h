#pragma once

#include <cstddef>
#include <string_view>

#include "sluice/base/limits.h"
#include "sluice/base/result.h"
#include "sluice/json/value.h"

namespace sluice::json {

struct ReadLimits {
  std::size_t bytes_max = kMessageBytesMax;
  std::size_t depth_max = kJsonDepthMax;
  std::size_t values_max = kJsonValuesMax;
};

// Strict RFC 8259: one value, valid UTF-8, unique keys, within the limits. Any thread.
Result<Value> read(std::string_view text, const ReadLimits& limits = {});

}  // namespace sluice::json
