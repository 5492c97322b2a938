#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/sheets/book.h"

#include "compound_file.h"
#include "moment.h"

namespace sluice::sheets {

// What the cells of a sheet refer to. All of it must outlive the reading.
struct XlsTables {
  const std::vector<std::string>& texts;
  const std::vector<NumberUse>& styles;
  Epoch epoch;
};

// Whether the sheet has a cell that may have a value. Reads no further than that.
Result<bool> has_xls_values(const CompoundStream& stream, std::uint64_t offset);

// The sheet whose records begin at `offset`. Holds its cells in memory: they may stand in any order.
Status read_xls_sheet(const CompoundStream& stream, std::uint64_t offset, const XlsTables& tables,
                      const RowSink& sink);

}  // namespace sluice::sheets
