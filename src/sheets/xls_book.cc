#include "xls_book.h"

#include <map>
#include <utility>

#include "sluice/sheets/limits.h"

#include "biff_reader.h"
#include "compound_file.h"
#include "failure.h"
#include "sheet_choice.h"
#include "xls_sheet.h"

namespace sluice::sheets {

namespace {

constexpr std::uint16_t kVersion97 = 0x0600;
constexpr std::size_t kXlsStylesMax = 100'000;

// What the records before those of the sheets say.
struct XlsGlobals {
  std::vector<std::string> names;
  std::vector<std::uint64_t> offsets;  // Of the sheets, in the order of the names.
  std::vector<std::string> texts;
  std::map<std::uint16_t, NumberUse> formats;
  std::vector<NumberUse> styles;
  Epoch epoch = Epoch::k1900;
};

class XlsBook final : public Book {
 public:
  XlsBook(CompoundStream stream, XlsGlobals globals)
      : stream_(std::move(stream)), globals_(std::move(globals)) {
    SheetChoice choice;
    for (std::size_t i = 0; i < globals_.offsets.size(); ++i) {
      const Result<bool> has_values = has_xls_values(stream_, globals_.offsets[i]);
      choice.add(globals_.names[i], !has_values.ok() || *has_values);
    }
    names_ = choice.names();
    places_ = choice.chosen();
  }

  const std::vector<std::string>& sheets() const override { return names_; }

  Status read_sheet(std::size_t sheet, const RowSink& sink) override {
    if (sheet >= places_.size()) return damaged_book("it has no such sheet");
    const XlsTables tables{.texts = globals_.texts, .styles = globals_.styles, .epoch = globals_.epoch};
    return read_xls_sheet(stream_, globals_.offsets[places_[sheet]], tables, sink);
  }

 private:
  const CompoundStream stream_;
  const XlsGlobals globals_;
  std::vector<std::string> names_;
  std::vector<std::size_t> places_;  // Of the sheets, among all of the workbook.
};

Status take_texts(BiffRecord& record, std::vector<std::string>& texts) {
  record.skip(4);
  const std::uint32_t count = record.u32();
  // A text has a length and flags.
  constexpr std::size_t kTextBytesMin = 3;
  if (count > record.size() / kTextBytesMin) return damaged_book("it lists more texts than there are");
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t characters = record.u16();
    texts.push_back(record.text_with_flags(characters));
  }
  return {};
}

void take_sheet(BiffRecord& record, XlsGlobals& globals) {
  constexpr std::uint8_t kWorksheet = 0;
  const std::uint32_t offset = record.u32();
  record.skip(1);
  const std::uint8_t type = record.u8();
  const std::size_t characters = record.u8();
  const bool is_wide = (record.u8() & 1U) != 0;
  std::string name = record.text(characters, is_wide);
  if (type != kWorksheet || globals.names.size() == kSheetsMax) return;
  globals.names.push_back(std::move(name));
  globals.offsets.push_back(offset);
}

Status take_global(BiffRecord& record, XlsGlobals& globals) {
  switch (record.type) {
    case BiffType::kFilePassword:
      return unsupported_book("it is encrypted", "Save the workbook without a password.");
    case BiffType::kDateMode:
      if (record.u16() == 1) globals.epoch = Epoch::k1904;
      return {};
    case BiffType::kSheet:
      take_sheet(record, globals);
      return {};
    case BiffType::kFormat: {
      const std::uint16_t id = record.u16();
      const std::size_t characters = record.u16();
      globals.formats[id] = use_of_format_code(record.text_with_flags(characters));
      return {};
    }
    case BiffType::kStyle: {
      if (globals.styles.size() == kXlsStylesMax) return damaged_book("it has too many styles");
      record.skip(2);
      const std::uint16_t format = record.u16();
      const auto own = globals.formats.find(format);
      globals.styles.push_back(own != globals.formats.end() ? own->second : use_of_builtin_format(format));
      return {};
    }
    case BiffType::kSharedTexts:
      return take_texts(record, globals.texts);
    default:
      return {};
  }
}

Result<XlsGlobals> read_globals(const CompoundStream& stream) {
  BiffReader reader(stream, 0);
  BiffRecord record;
  SLUICE_TRY(const bool has_first, reader.next(record));
  if (!has_first || record.type != BiffType::kBegin)
    return damaged_book("it does not begin as a workbook does");
  if (record.u16() != kVersion97)
    return unsupported_book("it is of a version before Excel 97", "Save the workbook as .xlsx.");
  XlsGlobals globals;
  while (true) {
    SLUICE_TRY(const bool has_more, reader.next(record));
    if (!has_more) return damaged_book("it ends too early");
    if (record.type == BiffType::kEnd) return globals;
    SLUICE_CHECK(take_global(record, globals));
    if (record.is_short()) return damaged_book("a record is too short");
  }
}

}  // namespace

Result<std::unique_ptr<Book>> open_xls(const fs::File& file, const inspection::ReadLimits& limits) {
  Result<CompoundStream> stream =
      CompoundStream::open(file, {"EncryptedPackage", "Workbook", "Book"}, limits);
  if (!stream.ok() && stream.error().kind == ErrorKind::kNotFound) return damaged_book("it is no workbook");
  if (!stream.ok()) return std::move(stream).error();
  if (stream->name() == "EncryptedPackage")
    return unsupported_book("it is encrypted", "Save the workbook without a password.");
  SLUICE_TRY(XlsGlobals globals, read_globals(*stream));
  return std::unique_ptr<Book>(std::make_unique<XlsBook>(*std::move(stream), std::move(globals)));
}

}  // namespace sluice::sheets
