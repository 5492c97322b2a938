#include "xlsx_book.h"

#include <algorithm>
#include <utility>

#include "archive.h"
#include "failure.h"
#include "sheet_choice.h"
#include "xlsx_parts.h"
#include "xlsx_sheet.h"

namespace sluice::sheets {

namespace {

class XlsxBook final : public Book {
 public:
  struct Parts {
    std::vector<std::string> sheets;  // In the order of the names.
    std::string texts;                // Empty where there are none.
    std::string styles;
    Epoch epoch = Epoch::k1900;
  };

  XlsxBook(Archive archive, std::vector<std::string> names, Parts parts)
      : archive_(std::move(archive)), names_(std::move(names)), parts_(std::move(parts)) {}

  const std::vector<std::string>& sheets() const override { return names_; }

  Status read_sheet(std::size_t sheet, const RowSink& sink) override {
    if (sheet >= parts_.sheets.size()) return damaged_book("it has no such sheet");
    std::vector<NumberUse> styles;
    SharedTexts texts;
    if (!parts_.styles.empty()) {
      SLUICE_TRY(styles, explained(read_styles(archive_, parts_.styles)));
    }
    if (!parts_.texts.empty()) {
      SLUICE_TRY(texts, explained(read_shared_texts(archive_, parts_.texts)));
    }
    const XlsxTables tables{.texts = texts, .styles = styles, .epoch = parts_.epoch};
    const Status read = read_xlsx_sheet(archive_, parts_.sheets[sheet], tables, sink);
    if (!read.ok() && read.error().kind == ErrorKind::kNotFound) return damaged_book("a part is missing");
    return read;
  }

 private:
  // A part that another one refers to has to be there.
  template <typename T>
  static Result<T> explained(Result<T> read) {
    if (!read.ok() && read.error().kind == ErrorKind::kNotFound) return damaged_book("a part is missing");
    return read;
  }

  Archive archive_;
  const std::vector<std::string> names_;
  const Parts parts_;
};

const XlsxRelation* find_relation(const std::vector<XlsxRelation>& relations, std::string_view id) {
  const auto found = std::find_if(relations.begin(), relations.end(),
                                  [&](const XlsxRelation& each) { return each.id == id; });
  return found == relations.end() ? nullptr : &*found;
}

std::string part_of_type(const std::vector<XlsxRelation>& relations, std::string_view type) {
  const auto found = std::find_if(relations.begin(), relations.end(),
                                  [&](const XlsxRelation& each) { return each.type == type; });
  return found == relations.end() ? "" : found->part;
}

}  // namespace

Result<std::unique_ptr<Book>> open_xlsx(const fs::File& file, const inspection::ReadLimits& limits) {
  SLUICE_TRY(Archive archive, Archive::open(file, limits));
  SLUICE_TRY(const std::vector<XlsxRelation> top, read_relations(archive, ""));
  std::string workbook_part = part_of_type(top, "officeDocument");
  if (workbook_part.empty()) workbook_part = "xl/workbook.xml";
  Result<XlsxWorkbook> workbook = read_workbook(archive, workbook_part);
  if (!workbook.ok() && workbook.error().kind == ErrorKind::kNotFound)
    return damaged_book("it is no workbook");
  if (!workbook.ok()) return std::move(workbook).error();
  SLUICE_TRY(const std::vector<XlsxRelation> relations, read_relations(archive, workbook_part));
  XlsxBook::Parts parts{.sheets = {},
                        .texts = part_of_type(relations, "sharedStrings"),
                        .styles = part_of_type(relations, "styles"),
                        .epoch = workbook->epoch};
  SheetChoice choice;
  std::vector<std::string> all_parts;
  for (XlsxSheet& sheet : workbook->sheets) {
    const XlsxRelation* relation = find_relation(relations, sheet.relation);
    if (relation == nullptr || relation->type != "worksheet") continue;
    // One that cannot be read says why when it is asked for.
    const Result<bool> has_values = has_xlsx_values(archive, relation->part);
    choice.add(std::move(sheet.name), !has_values.ok() || *has_values);
    all_parts.push_back(relation->part);
  }
  const std::vector<std::size_t> chosen = choice.chosen();
  for (const std::size_t place : chosen) parts.sheets.push_back(all_parts[place]);
  return std::unique_ptr<Book>(
      std::make_unique<XlsxBook>(std::move(archive), choice.names(), std::move(parts)));
}

}  // namespace sluice::sheets
