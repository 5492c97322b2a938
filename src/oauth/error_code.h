#pragma once

#include <string_view>

namespace sluice::oauth {

// The error code of an answer if it is one that the standards know, else "unknown". What a server writes
// there goes into messages and logs: it must not be able to put there what we sent it, or words of its own.
std::string_view known_error(std::string_view code);

}  // namespace sluice::oauth
