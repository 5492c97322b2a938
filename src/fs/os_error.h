#pragma once

#include <cerrno>
#include <string_view>

#include "sluice/base/error.h"

namespace sluice::fs {

// The errno of a system call that returned `returned`: 0 if it succeeded. Read it before the next call.
inline int errno_of(int returned) { return returned == 0 ? 0 : errno; }

// The error for a system call that set errno to `code`. `attempt` says what was tried ("open file");
// `relative_path` is the path as the caller gave it, so that no message tells where a folder really is.
Error os_error(std::string_view attempt, int code, std::string_view relative_path);

}  // namespace sluice::fs
