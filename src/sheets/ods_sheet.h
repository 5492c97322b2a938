#pragma once

#include <cstddef>

#include "sluice/base/result.h"
#include "sluice/sheets/book.h"

#include "archive.h"
#include "sheet_choice.h"

namespace sluice::sheets {

// The sheets of a spreadsheet of OpenDocument. Both read it whole.
Result<SheetChoice> list_ods_sheets(Archive& archive);
Status read_ods_sheet(Archive& archive, std::size_t sheet, const RowSink& sink);

}  // namespace sluice::sheets
