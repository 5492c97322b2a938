#pragma once

#include <memory>

#include "sluice/sheets/book.h"

namespace sluice::sheets {

// A workbook of Excel 97 to 2003.
Result<std::unique_ptr<Book>> open_xls(const fs::File& file, const inspection::ReadLimits& limits);

}  // namespace sluice::sheets
