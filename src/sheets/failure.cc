#include "failure.h"

#include <string>

namespace sluice::sheets {

Error damaged_book(std::string_view what) {
  return unavailable("read workbook: " + std::string(what))
      .with_code("unreadable_file")
      .with_hint("The workbook is damaged, or not what its name says. Save it again, or replace it.");
}

Error unsupported_book(std::string_view what, std::string_view hint) {
  return unsupported("read workbook: " + std::string(what)).with_code("unsupported_file").with_hint(hint);
}

Error too_large_book(std::string_view what, std::uint64_t limit) {
  return limit_reached(what, limit)
      .with_code("unreadable_file")
      .with_hint("The workbook is too large. Save the sheet as CSV or Parquet.");
}

}  // namespace sluice::sheets
