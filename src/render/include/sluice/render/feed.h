#pragma once

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"

namespace sluice::render {

// Feeds all rows to a writer (JsonRows, CsvRows) until its budget ends. True: the rows ended first.
template <typename Writer>
Result<bool> feed(engine::Rows& rows, Writer& out) {
  while (true) {
    SLUICE_TRY(const engine::Batch* batch, rows.next());
    if (batch == nullptr) return true;
    if (out.append(*batch) < batch->rows) return false;
  }
}

}  // namespace sluice::render
