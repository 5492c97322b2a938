#include "sluice/sheets/book.h"

#include <string_view>

#include "failure.h"
#include "ods_book.h"
#include "xls_book.h"
#include "xlsx_book.h"

namespace sluice::sheets {

namespace {

// A compound file: what .xls is, and what encrypted books of the newer kinds are.
constexpr std::string_view kCompoundMark = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";

}  // namespace

Result<std::unique_ptr<Book>> open_book(const fs::File& file, BookFormat format,
                                        const inspection::ReadLimits& limits) {
  SLUICE_TRY(const std::string beginning, file.read_at(0, kCompoundMark.size()));
  const bool is_compound = beginning == kCompoundMark;
  const bool is_archive = beginning.starts_with("PK");
  switch (format) {
    case BookFormat::kXlsx:
      return is_compound ? open_xls(file, limits) : open_xlsx(file, limits);
    case BookFormat::kOds:
      if (is_compound) break;
      return open_ods(file, limits);
    case BookFormat::kXls:
      if (is_archive) return open_xlsx(file, limits);  // Many programs name it so.
      return open_xls(file, limits);
  }
  return unsupported_book("it is encrypted", "Save the workbook without a password.");
}

}  // namespace sluice::sheets
