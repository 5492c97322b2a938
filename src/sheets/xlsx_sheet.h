#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/sheets/book.h"

#include "archive.h"
#include "xlsx_parts.h"

namespace sluice::sheets {

// What the cells of a sheet refer to. All of it must outlive the reading.
struct XlsxTables {
  const SharedTexts& texts;
  const std::vector<NumberUse>& styles;
  Epoch epoch;
};

// Whether some cell has a value. Reads no further than that.
Result<bool> has_xlsx_values(Archive& archive, const std::string& part);

Status read_xlsx_sheet(Archive& archive, const std::string& part, const XlsxTables& tables,
                       const RowSink& sink);

}  // namespace sluice::sheets
