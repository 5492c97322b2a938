#pragma once

#include <memory>

#include "sluice/sheets/book.h"

namespace sluice::sheets {

Result<std::unique_ptr<Book>> open_xlsx(const fs::File& file, const inspection::ReadLimits& limits);

}  // namespace sluice::sheets
