#pragma once

namespace sluice::plan {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace sluice::plan
