#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::fetch::testing {

// `text` within gzip, stored as it is: at most 65,535 bytes of it.
std::string gzip_of(std::string_view text);

// The same in Brotli's form.
std::string brotli_of(std::string_view text);

// The beginning of gzip that unpacks to at least so many zeros, at 158 to 1.
std::string gzip_bomb(std::size_t bytes);

}  // namespace sluice::fetch::testing
