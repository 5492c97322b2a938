#pragma once

#include <optional>
#include <string>

#include "sluice/base/error.h"

namespace sluice::cli {

inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;

std::optional<std::string> environment(const std::string& name);

// Prints an error and its hint to standard error. Returns the exit code.
int fail(const Error& error);

}  // namespace sluice::cli
