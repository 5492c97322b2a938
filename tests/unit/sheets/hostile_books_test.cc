#include <zip.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/fs/root.h"
#include "sluice/sheets/book.h"
#include "sluice/sheets/limits.h"

#include "temp_folder.h"

namespace sluice::sheets {
namespace {

struct Part {
  std::string name;
  std::string content;
};

constexpr std::string_view kMain = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
constexpr std::string_view kRelationships = "http://schemas.openxmlformats.org/package/2006/relationships";
constexpr std::string_view kDocument = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

std::string worksheet(const std::string& rows) {
  return fmt::format("<worksheet xmlns='{}'><sheetData>{}</sheetData></worksheet>", kMain, rows);
}

std::vector<Part> xlsx_parts(const std::string& sheet, const std::string& texts = "",
                             const std::string& properties = "") {
  const auto relation = [](int id, std::string_view type, std::string_view target) {
    return fmt::format("<Relationship Id='r{}' Type='{}/{}' Target='{}'/>", id, kDocument, type, target);
  };
  return {
      {"_rels/.rels", fmt::format("<Relationships xmlns='{}'>{}</Relationships>", kRelationships,
                                  relation(1, "officeDocument", "xl/workbook.xml"))},
      {"xl/workbook.xml",
       fmt::format("<workbook xmlns='{}' xmlns:r='{}'>{}<sheets><sheet name='S' sheetId='1' "
                   "r:id='r1'/></sheets></workbook>",
                   kMain, kDocument, properties)},
      {"xl/_rels/workbook.xml.rels",
       fmt::format("<Relationships xmlns='{}'>{}{}{}</Relationships>", kRelationships,
                   relation(1, "worksheet", "worksheets/sheet1.xml"),
                   relation(2, "sharedStrings", "sharedStrings.xml"),
                   relation(3, "styles", "/xl/styles.xml"))},
      {"xl/styles.xml", fmt::format("<styleSheet xmlns='{}'><cellXfs><xf numFmtId='0'/><xf numFmtId='14'/>"
                                    "</cellXfs></styleSheet>",
                                    kMain)},
      {"xl/sharedStrings.xml", fmt::format("<sst xmlns='{}'>{}</sst>", kMain, texts)},
      {"xl/worksheets/sheet1.xml", sheet}};
}

std::vector<Part> ods_parts(const std::string& table) {
  return {{"content.xml",
           "<office:document-content xmlns:office='urn:oasis:names:tc:opendocument:xmlns:office:1.0' "
           "xmlns:table='urn:oasis:names:tc:opendocument:xmlns:table:1.0' "
           "xmlns:text='urn:oasis:names:tc:opendocument:xmlns:text:1.0'><office:body><office:spreadsheet>" +
               table + "</office:spreadsheet></office:body></office:document-content>"}};
}

void write_zip(const std::string& path, const std::vector<Part>& parts, bool is_stored = false) {
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  ASSERT_NE(archive, nullptr);
  for (const Part& part : parts) {
    zip_source_t* source = zip_source_buffer(archive, part.content.data(), part.content.size(), 0);
    const zip_int64_t index = zip_file_add(archive, part.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (is_stored) zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
  }
  ASSERT_EQ(zip_close(archive), 0);
}

class HostileBooks : public ::testing::Test {
 protected:
  // The cells of the first sheet, "row:column=value" in their order, or why it cannot be read.
  std::string read(const std::string& name, BookFormat format) {
    const fs::Root root = fs::Root::open(folder_.path()).value();
    const fs::File file = root.open_beneath(name).value();
    const Result<std::unique_ptr<Book>> book = open_book(file, format, {});
    if (!book.ok()) return book.error().code + ": " + book.error().message;
    std::string out;
    const Status status = (*book)->read_sheet(0, [&](std::uint32_t row, std::span<const Cell> cells) {
      for (const Cell& cell : cells) {
        out += fmt::format("{}:{}=", row, cell.column);
        out += cell.kind == CellKind::kText     ? std::string(cell.text)
               : cell.kind == CellKind::kNumber ? fmt::format("{}", cell.number)
               : cell.kind == CellKind::kDate   ? fmt::format("day {}", cell.micros / 86'400'000'000)
                                                : fmt::format("#{}", cell.number);
        out += ' ';
      }
      return Status();
    });
    return status.ok() ? out : status.error().code + ": " + status.error().message;
  }
  std::string read_xlsx(const std::string& sheet, const std::string& texts = "",
                        const std::string& properties = "") {
    write_zip(folder_.at("b.xlsx"), xlsx_parts(sheet, texts, properties));
    return read("b.xlsx", BookFormat::kXlsx);
  }
  std::string read_ods(const std::string& table) {
    write_zip(folder_.at("b.ods"), ods_parts(table));
    return read("b.ods", BookFormat::kOds);
  }
  static std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::TempFolder folder_;
};

std::string row(const std::string& cells) { return worksheet("<row>" + cells + "</row>"); }

TEST_F(HostileBooks, ReadsEveryTypeOfCell) {
  EXPECT_EQ(
      read_xlsx(
          row("<c r='B1'><v>1.5</v></c><c t='b'><v>1</v></c><c t='s'><v>0</v></c><c t='e'><v>#N/A</v></c>"
              "<c t='str'><f>A1&amp;B1</f><v>x</v></c><c "
              "t='inlineStr'><is><r><t>a</t></r><r><t>b</t></r></is></c>"
              "<c s='1'><v>45322</v></c><c t='d'><v>2024-01-31</v></c><c><f>A1</f></c>"),
          "<si><t>one_x0041__x0000_</t><rPh><t>reading</t></rPh></si>"),
      "0:1=1.5 0:2=#1 0:3=oneA_x0000_ 0:5=x 0:6=ab 0:7=day 19753 0:8=day 19753 ");
}

TEST_F(HostileBooks, CountsDaysFrom1904WhereTheBookDoes) {
  EXPECT_EQ(read_xlsx(row("<c s='1'><v>43860</v></c>"), "", "<workbookPr date1904='1'/>"), "0:0=day 19753 ");
}

TEST_F(HostileBooks, MergedCellsHaveTheirFirstValueOnly) {
  EXPECT_EQ(
      read_xlsx(fmt::format("<worksheet xmlns='{}'><sheetData><row><c><v>1</v></c><c/></row></sheetData>"
                            "<mergeCells><mergeCell ref='A1:B1'/></mergeCells></worksheet>",
                            kMain)),
      "0:0=1 ");
}

TEST_F(HostileBooks, RefusesTextsThatAreNotThere) {
  for (const char* index : {"1", "-1", "99999999999999999999", "x", ""}) {
    EXPECT_THAT(read_xlsx(row(fmt::format("<c t='s'><v>{}</v></c>", index)), "<si><t>one</t></si>"),
                ::testing::StartsWith("unreadable_file: read workbook: a cell refers to a text"))
        << index;
  }
}

TEST_F(HostileBooks, RefusesWhatLiesBeyondTheLastRowAndColumn) {
  EXPECT_EQ(read_xlsx(row("<c r='XFD1'><v>1</v></c>")), "0:16383=1 ");
  EXPECT_THAT(read_xlsx(row("<c r='XFE1'><v>1</v></c>")), ::testing::StartsWith("unreadable_file: "));
  EXPECT_EQ(read_xlsx(worksheet("<row r='1048576'><c><v>1</v></c></row>")), "1048575:0=1 ");
  EXPECT_THAT(read_xlsx(worksheet("<row r='1048577'><c><v>1</v></c></row>")),
              ::testing::StartsWith("unreadable_file: "));
  EXPECT_THAT(read_xlsx(worksheet("<row r='2'/><row r='1'/>")), ::testing::StartsWith("unreadable_file: "));
  EXPECT_THAT(read_xlsx(row("<c r='B1'><v>1</v></c><c r='A1'><v>1</v></c>")),
              ::testing::StartsWith("unreadable_file: "));
  EXPECT_THAT(read_xlsx(row("<c><v>1e999</v></c>")), ::testing::StartsWith("unreadable_file: "));
}

TEST_F(HostileBooks, RefusesDocumentTypesAndTheirEntities) {
  const std::string bomb =
      "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>"
      "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;'>]>";
  EXPECT_EQ(read_xlsx(bomb + row("<c t='str'><v>&c;</v></c>")),
            "unreadable_file: read workbook: its XML has a document type");
  const std::string outside = "<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>";
  EXPECT_EQ(read_xlsx(outside + row("<c t='str'><v>&a;</v></c>")),
            "unreadable_file: read workbook: its XML has a document type");
}

TEST_F(HostileBooks, RefusesWhatUnpacksToHundredsOfTimesItsSize) {
  EXPECT_THAT(
      read_xlsx(worksheet("<row>" + std::string(std::size_t{64} << 20U, ' ') + "<c><v>1</v></c></row>")),
      ::testing::StartsWith("unreadable_file: times that a part of a workbook grows"));
  EXPECT_THAT(read_ods("<table:table>" + std::string(std::size_t{64} << 20U, ' ') + "</table:table>"),
              ::testing::StartsWith("unreadable_file: times that a part of a workbook grows"));
}

TEST_F(HostileBooks, BoundsWhatIsUnpackedInAll) {
  // Random letters: a part that grows little, and yet too much.
  std::string text(kBookBytesMax + (std::size_t{1} << 20U), ' ');
  std::mt19937_64 random(7);
  for (char& c : text) c = static_cast<char>('a' + random() % 16);
  EXPECT_THAT(read_xlsx(row("<c t='str'><v>" + text + "</v></c>")),
              ::testing::StartsWith("unreadable_file: bytes"));
}

TEST_F(HostileBooks, BoundsRepeatedCells) {
  const std::string cell = "<table:table-cell office:value-type='float' office:value='1'";
  EXPECT_EQ(
      read_ods(
          "<table:table><table:table-row table:number-rows-repeated='2'>" + cell +
          " table:number-columns-repeated='2'/></table:table-row><table:table-row "
          "table:number-rows-repeated='1048574'><table:table-cell table:number-columns-repeated='16384'/>"
          "</table:table-row></table:table>"),
      "0:0=1 0:1=1 1:0=1 1:1=1 ");
  EXPECT_THAT(read_ods("<table:table><table:table-row table:number-rows-repeated='1048576'>" + cell +
                       " table:number-columns-repeated='16384'/></table:table-row></table:table>"),
              ::testing::StartsWith("unreadable_file: cells of a sheet"));
  EXPECT_THAT(read_ods("<table:table><table:table-row>" + cell +
                       " table:number-columns-repeated='99999999999'/></table:table-row></table:table>"),
              ::testing::StartsWith("unreadable_file: columns of a sheet"));
  EXPECT_THAT(read_ods("<table:table><table:table-row table:number-rows-repeated='1048577'>" + cell +
                       "/></table:table-row></table:table>"),
              ::testing::StartsWith("unreadable_file: rows of a sheet"));
}

TEST_F(HostileBooks, ReadsTheTextOfOpenDocumentCellsAndNothingElse) {
  EXPECT_EQ(
      read_ods("<table:table table:name='S'><table:table-row><table:table-cell office:value-type='string'>"
               "<office:annotation><text:p>note</text:p></office:annotation>"
               "<text:p> a <text:span>b</text:span><text:s text:c='2'/>c</text:p><text:p>d</text:p>"
               "</table:table-cell><table:covered-table-cell/><table:table-cell office:value-type='boolean' "
               "office:boolean-value='true'><text:p>TRUE</text:p></table:table-cell></table:table-row></"
               "table:table>"),
      "0:0=a b  c\nd 0:2=#1 ");
}

TEST_F(HostileBooks, RefusesWhatIsNoWorkbook) {
  for (const auto& [name, content] : {std::pair<std::string, std::string>{"a.xlsx", ""},
                                      {"b.xlsx", "PK"},
                                      {"c.ods", std::string(100'000, 'x')},
                                      {"d.xls", "a,b\n1,2\n"},
                                      {"e.xls", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"}}) {
    folder_.write(name, content);
    const BookFormat format = name.ends_with("xlsx")  ? BookFormat::kXlsx
                              : name.ends_with("ods") ? BookFormat::kOds
                                                      : BookFormat::kXls;
    EXPECT_THAT(read(name, format), ::testing::StartsWith("unreadable_file: ")) << name;
  }
  write_zip(folder_.at("z.xlsx"), {{"x.txt", "x"}});
  EXPECT_THAT(read("z.xlsx", BookFormat::kXlsx), ::testing::StartsWith("unreadable_file: "));
  EXPECT_THAT(read("z.xlsx", BookFormat::kOds), ::testing::StartsWith("unreadable_file: "));
}

TEST_F(HostileBooks, MutatedAndTruncatedBooksEndWithinAMoment) {
  const std::string command = fmt::format("/usr/bin/python3 '{}/tests/unit/sheets/write_books.py' 5 2 '{}'",
                                          SLUICE_SOURCE_DIR, folder_.path());
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::vector<std::pair<std::string, BookFormat>> books;
  for (const char* number : {"0", "1"}) {
    books.emplace_back(fmt::format("{}.xlsx", number), BookFormat::kXlsx);
    books.emplace_back(fmt::format("{}.ods", number), BookFormat::kOds);
    books.emplace_back(fmt::format("{}.xls", number), BookFormat::kXls);
  }
  // Parts that are stored as they are let a changed byte reach the parser of XML.
  write_zip(folder_.at("s.xlsx"),
            xlsx_parts(row("<c t='s'><v>0</v></c><c r='C1' s='1'><v>45322</v></c>"), "<si><t>one</t></si>"),
            true);
  books.emplace_back("s.xlsx", BookFormat::kXlsx);
  std::mt19937_64 random(11);
  std::size_t refused = 0;
  constexpr int kRounds = 150;
  for (const auto& [name, format] : books) {
    const std::string whole = bytes_of(folder_.at(name));
    for (int i = 0; i < kRounds; ++i) {
      std::string bytes = whole;
      if (i % 5 == 0) bytes.resize(random() % bytes.size());
      for (std::size_t k = 0; k < 1 + random() % 8 && !bytes.empty(); ++k)
        bytes[random() % bytes.size()] = static_cast<char>(random() % 4 == 0 ? 0xFF : random());
      folder_.write("mutated", bytes);
      const auto begin = std::chrono::steady_clock::now();
      if (read("mutated", format).starts_with("un")) ++refused;
      EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
    }
  }
  EXPECT_GT(refused, books.size() * kRounds / 4);
}

}  // namespace
}  // namespace sluice::sheets
