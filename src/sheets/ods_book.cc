#include "ods_book.h"

#include <utility>

#include "archive.h"
#include "failure.h"
#include "ods_sheet.h"
#include "sheet_choice.h"

namespace sluice::sheets {

namespace {

class OdsBook final : public Book {
 public:
  OdsBook(const fs::File& file, inspection::ReadLimits limits, const SheetChoice& choice)
      : file_(file), limits_(std::move(limits)), names_(choice.names()), places_(choice.chosen()) {}

  const std::vector<std::string>& sheets() const override { return names_; }

  Status read_sheet(std::size_t sheet, const RowSink& sink) override {
    if (sheet >= names_.size()) return damaged_book("it has no such sheet");
    // All sheets are in one part, which has been read for their names: the bound is for one reading.
    SLUICE_TRY(Archive archive, Archive::open(file_, limits_));
    return read_ods_sheet(archive, places_[sheet], sink);
  }

 private:
  const fs::File& file_;  // The caller's.
  const inspection::ReadLimits limits_;
  const std::vector<std::string> names_;
  const std::vector<std::size_t> places_;  // Of the sheets, among all tables of the document.
};

}  // namespace

Result<std::unique_ptr<Book>> open_ods(const fs::File& file, const inspection::ReadLimits& limits) {
  SLUICE_TRY(Archive archive, Archive::open(file, limits));
  Result<SheetChoice> choice = list_ods_sheets(archive);
  if (!choice.ok() && choice.error().kind == ErrorKind::kNotFound) return damaged_book("it is no workbook");
  if (!choice.ok()) return std::move(choice).error();
  return std::unique_ptr<Book>(std::make_unique<OdsBook>(file, limits, *choice));
}

}  // namespace sluice::sheets
