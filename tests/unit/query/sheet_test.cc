#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "file_reading.h"

namespace sluice::query {
namespace {

constexpr int kWorkbooks = 6;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> split(std::string_view text, char end) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t at = text.find(end);
    out.emplace_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  return out;
}

struct Model {
  std::vector<std::string> names;
  std::vector<std::string> types;
  std::vector<std::vector<std::string>> rows;
};

Model read_model(const std::string& path) {
  Model out;
  for (const std::string& line : split(bytes_of(path), '\x1e')) {
    std::vector<std::string> fields = split(line, '\x1f');
    if (out.names.empty()) {
      out.names = std::move(fields);
    } else if (out.types.empty()) {
      out.types = std::move(fields);
    } else {
      out.rows.push_back(std::move(fields));
    }
  }
  return out;
}

TEST(Sheets, AreTheTablesThatWereWritten) {
  const fs::TempFolder folder;
  const std::string command = fmt::format("/usr/bin/python3 '{}/tests/unit/query/write_sheets.py' 3 {} '{}'",
                                          SLUICE_SOURCE_DIR, kWorkbooks, folder.path());
  ASSERT_EQ(std::system(command.c_str()), 0);
  testing::FileReading files;
  for (int i = 0; i < kWorkbooks; ++i) {
    const Model model = read_model(fmt::format("{}/{}.model", folder.path(), i));
    for (const char* ending : {"xlsx", "ods", "xls"}) {
      const std::string name = fmt::format("{}.{}", i, ending);
      SCOPED_TRACE(name);
      const auto dataset = files.write(name, bytes_of(folder.path() + "/" + name));
      const Result<Table> table = files.inspect(*dataset);
      ASSERT_TRUE(table.ok()) << table.error().message;
      std::vector<std::string> names;
      std::vector<std::string> types;
      for (const engine::Field& column : table->columns) {
        names.push_back(column.name);
        types.push_back(engine::sql_name(column.type));
      }
      std::vector<std::string> expected_names;
      for (std::string expected : model.names) {
        if (const std::size_t at = expected.find('\n'); at != std::string::npos)
          expected.replace(at, 1, "%0A");
        expected_names.push_back(expected);
      }
      EXPECT_EQ(names, expected_names);
      EXPECT_EQ(types, model.types);
      const Result<std::vector<TextRow>> rows = files.rows(*dataset, *table, "\x1d");
      ASSERT_TRUE(rows.ok()) << rows.error().message;
      EXPECT_EQ(*rows, model.rows);
      EXPECT_EQ(dataset->row_count(), model.rows.size());
    }
  }
}

TEST(Sheets, OfAnOddNameKeepItVisibleAndInOnePart) {
  const fs::TempFolder folder;
  const std::string command = fmt::format(
      "cd '{}' && /usr/bin/python3 -c \"import openpyxl as o, zipfile as z; b=o.Workbook(); "
      "b.active.title='P_Q'; "
      "b.active.append(['x']); b.active.append([1]); b.create_sheet('p_q_').append([2]); b.save('a.xlsx'); "
      "i=z.ZipFile('a.xlsx'); n=z.ZipFile('b.xlsx','w'); "
      "[n.writestr(p, i.read(p).replace(b'P_Q', b'../p&#10;/q').replace(b'p_q_', b'..')) for p in "
      "i.namelist()]; "
      "n.close()\"",
      folder.path());
  ASSERT_EQ(std::system(command.c_str()), 0);
  const fs::Root root = fs::Root::open(folder.path()).value();
  const fs::File file = root.open_beneath("b.xlsx").value();
  const Result<std::vector<std::string>> names = list_sheets(file, FileFormat::kXlsx);
  ASSERT_TRUE(names.ok()) << names.error().message;
  EXPECT_THAT(*names, ::testing::ElementsAre("..%2Fp%0A%2Fq", "Sheet2"));
}

}  // namespace
}  // namespace sluice::query
