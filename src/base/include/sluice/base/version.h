#pragma once

#include <string_view>

namespace sluice {

// The version of Sluice, such as "1.2.3", as the project's CMakeLists.txt has it.
std::string_view product_version();

// The commit that was built, as 40 hexadecimal digits. Empty if the build was not told: only releases are.
std::string_view product_commit();

}  // namespace sluice
