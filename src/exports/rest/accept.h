#pragma once

#include <optional>
#include <string_view>

#include "sluice/exports/file_format.h"

namespace sluice::exports {

// The format of rows that an Accept header prefers: CSV where it is empty or says */*. Nothing: it allows
// none.
std::optional<FileFormat> accepted_format(std::string_view accept);

}  // namespace sluice::exports
