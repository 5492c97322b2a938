#include <bit>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sluice/fs/root.h"
#include "sluice/sheets/book.h"

#include "temp_folder.h"

namespace sluice::sheets {
namespace {

constexpr int kBooks = 8;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') out += "\\\\";
    if (c == '\n') out += "\\n";
    if (c == '\t') out += "\\t";
    if (c != '\\' && c != '\n' && c != '\t') out += c;
  }
  return out;
}

std::string told(const Cell& cell) {
  switch (cell.kind) {
    case CellKind::kNumber:
      return fmt::format("N\t{:016x}", std::bit_cast<std::uint64_t>(cell.number));
    case CellKind::kBoolean:
      return fmt::format("B\t{}", cell.number);
    case CellKind::kText:
      return "T\t" + escaped(cell.text);
    case CellKind::kDate:
      return fmt::format("D\t{}", cell.micros);
    case CellKind::kDateTime:
      return fmt::format("M\t{}", cell.micros);
    case CellKind::kTime:
      return fmt::format("C\t{}", cell.micros);
    case CellKind::kDuration:
      return fmt::format("L\t{}", cell.micros);
  }
  return "";
}

struct Sheet {
  std::string name;
  std::vector<std::string> cells;
};

std::vector<Sheet> read_model(const std::string& path) {
  std::vector<Sheet> out;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("sheet ")) {
      out.push_back({.name = line.substr(6), .cells = {}});
    } else {
      out.back().cells.push_back(line);
    }
  }
  return out;
}

Result<std::vector<Sheet>> read_book(const fs::Root& root, const std::string& path, BookFormat format) {
  SLUICE_TRY(const fs::File file, root.open_beneath(path));
  std::vector<Sheet> out;
  std::size_t count = 1;
  for (std::size_t i = 0; i < count; ++i) {
    SLUICE_TRY(const std::unique_ptr<Book> book, open_book(file, format, {}));
    count = book->sheets().size();
    if (count == 0) break;
    Sheet& sheet = out.emplace_back(Sheet{.name = book->sheets()[i], .cells = {}});
    SLUICE_CHECK(book->read_sheet(i, [&](std::uint32_t row, std::span<const Cell> cells) {
      for (const Cell& cell : cells)
        sheet.cells.push_back(fmt::format("{}\t{}\t{}", row, cell.column, told(cell)));
      return Status();
    }));
  }
  return out;
}

class Books : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new fs::TempFolder();
    const std::string command =
        fmt::format("/usr/bin/python3 '{}/tests/unit/sheets/write_books.py' 41 {} '{}'", SLUICE_SOURCE_DIR,
                    kBooks, folder_->path());
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  static void expect_equal(const std::string& ending, BookFormat format) {
    const fs::Root root = fs::Root::open(folder_->path()).value();
    for (int i = 0; i < kBooks; ++i) {
      const std::string name = fmt::format("{}{}", i, ending);
      SCOPED_TRACE(name);
      const std::vector<Sheet> model = read_model(fmt::format("{}/{}.model", folder_->path(), i));
      const Result<std::vector<Sheet>> read = read_book(root, name, format);
      ASSERT_TRUE(read.ok()) << read.error().message;
      ASSERT_EQ(read->size(), model.size());
      for (std::size_t k = 0; k < model.size(); ++k) {
        EXPECT_EQ((*read)[k].name, model[k].name);
        EXPECT_EQ((*read)[k].cells, model[k].cells);
      }
    }
  }

  static fs::TempFolder* folder_;
};

fs::TempFolder* Books::folder_ = nullptr;

TEST_F(Books, XlsxCellsAreThoseOfTheWriter) { expect_equal(".xlsx", BookFormat::kXlsx); }
TEST_F(Books, OdsCellsAreThoseOfTheWriter) { expect_equal(".ods", BookFormat::kOds); }
TEST_F(Books, XlsCellsAreThoseOfTheWriter) { expect_equal(".xls", BookFormat::kXls); }

}  // namespace
}  // namespace sluice::sheets
