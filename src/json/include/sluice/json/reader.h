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
  bool last_key_wins = false;  // Of a key that stands twice, as JavaScript has it; else that is refused.
};

// Strict RFC 8259: one value, valid UTF-8, unique keys unless said otherwise, within the limits. Any thread.
Result<Value> read(std::string_view text, const ReadLimits& limits = {});

}  // namespace sluice::json
