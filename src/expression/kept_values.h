#pragma once

#include <cstdint>
#include <string_view>

#include "sluice/base/result.h"

namespace sluice::expression {

// Medians and quantiles keep every value they see, in memory that the engine does not count against its
// limit. Fails with the code `expression_too_large` if a statement has more of them than it may have;
// `kept_values` counts each once for every grouping set.
Status check_kept_values(std::uint64_t kept_values);

// How many medians a statement has that this program has written: outside of quoted names.
std::uint64_t count_medians(std::string_view sql);

}  // namespace sluice::expression
