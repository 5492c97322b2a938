// Random CSV files against a model that knows what it wrote: names, types and every cell.

#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "file_reading.h"

namespace sluice::query {
namespace {

constexpr std::string_view kNull = "\x01null";

enum class Kind {
  kInteger,
  kWideInteger,    // 19 digits.
  kTooWide,        // More than 64 bits: text.
  kFraction,       // As doubles are written.
  kExactFraction,  // Integers beyond 2^53 beside fractions: a decimal.
  kCode,           // Leading zeros: text.
  kHex,            // Text.
  kIsoDate,
  kDayFirst,
  kMonthFirst,
  kIsoTimestamp,
  kBool,
  kText,
  kAwkwardText,  // Quotes, separators, line ends, other scripts, empty.
  kCount,
};

struct Cell {
  std::string written;
  std::string expected;
};

struct Column {
  Kind kind = Kind::kText;
  std::string name;
  std::string type;
  std::vector<Cell> cells;
};

class Model {
 public:
  explicit Model(std::uint32_t seed) : random_(seed) {
    const std::string_view separators = ",;\t|";
    separator_ = separators[below(separators.size())];
    line_end_ = below(3) == 0 ? "\r\n" : "\n";
    quotes_all_ = below(4) == 0;
    rows_ = 1 + below(30);
    const std::size_t columns = 1 + below(6);
    for (std::size_t i = 0; i < columns; ++i)
      add(static_cast<Kind>(below(static_cast<std::size_t>(Kind::kCount))));
    if (below(4) == 0) add_years();
    choose_names();
  }

  std::string text() {
    std::string out = below(5) == 0 ? "\xEF\xBB\xBF" : "";
    if (has_header_) {
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (i > 0) out += separator_;
        out += written(columns_[i].name);
      }
      out += line_end_;
    }
    for (std::size_t row = 0; row < rows_; ++row) {
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (i > 0) out += separator_;
        const Cell& cell = columns_[i].cells[row];
        // A null has no quotes; an empty text has nothing else.
        out += cell.expected == kNull ? cell.written : written(cell.written);
      }
      if (row + 1 < rows_ || below(3) > 0) out += line_end_;
    }
    return out;
  }

  const std::vector<Column>& columns() const { return columns_; }
  std::size_t rows() const { return rows_; }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  int number(int from, int to) {
    return from + static_cast<int>(below(static_cast<std::size_t>(to - from + 1)));
  }

  std::string written(const std::string& value) const {
    // Any separator, not only that of the file: of a single column nothing else would tell which one it is.
    const bool needs_quotes = value.empty() || value.find_first_of(",;\t|\"\r\n") != std::string::npos;
    if (!needs_quotes && !quotes_all_) return value;
    std::string out = "\"";
    for (const char c : value) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + '"';
  }

  // The first cell shows what the column is; later ones may be null.
  void add(Kind kind) {
    Column column{.kind = kind, .name = {}, .type = type_of(kind), .cells = {}};
    for (std::size_t row = 0; row < rows_; ++row) {
      const bool is_null = row > 0 && below(6) == 0 && !is_alone_;
      column.cells.push_back(is_null ? Cell{.written = "", .expected = std::string(kNull)} : cell(kind, row));
    }
    columns_.push_back(std::move(column));
    is_alone_ = false;
  }

  static std::string type_of(Kind kind) {
    switch (kind) {
      case Kind::kInteger:
      case Kind::kWideInteger:
        return "BIGINT";
      case Kind::kFraction:
        return "DOUBLE";
      case Kind::kExactFraction:
        return "DECIMAL(38,2)";
      case Kind::kIsoDate:
      case Kind::kDayFirst:
      case Kind::kMonthFirst:
        return "DATE";
      case Kind::kIsoTimestamp:
        return "TIMESTAMP";
      case Kind::kBool:
        return "BOOLEAN";
      default:
        return "VARCHAR";
    }
  }

  static Cell same(std::string value) { return {.written = value, .expected = value}; }

  Cell cell(Kind kind, std::size_t row) {
    const bool is_first = row == 0;
    const int year = number(1950, 2050);
    const int month = number(1, 12);
    const int day = is_first ? number(13, 28) : number(1, 28);
    const std::string date = fmt::format("{:04}-{:02}-{:02}", year, month, day);
    switch (kind) {
      case Kind::kInteger:
        return same(std::to_string(number(-5'000'000, 5'000'000)));
      case Kind::kWideInteger:
        return same(fmt::format("{}{:018}", number(1, 8), random_()));
      case Kind::kTooWide:
        return same(is_first ? "18446744073709551617" : std::to_string(number(1, 1'000)));
      case Kind::kFraction:
        return same(fmt::format("{}.{}", number(-900, 900), 2 * number(0, 4) + 1));
      case Kind::kExactFraction:
        if (is_first) return {.written = "9007199254740993.25", .expected = "9007199254740993.25"};
        if (below(2) == 0) return {.written = "12345678901234567", .expected = "12345678901234567.00"};
        return {.written = "0.5", .expected = "0.50"};
      case Kind::kCode:
        return same(is_first ? fmt::format("{:05}", number(1, 999))
                             : fmt::format("{:05}", number(1, 99'999)));
      case Kind::kHex:
        return same(fmt::format("0x{:08X}", random_()));
      case Kind::kIsoDate:
        return same(date);
      case Kind::kDayFirst:
        return {.written = fmt::format("{:02}/{:02}/{}", day, month, year), .expected = date};
      case Kind::kMonthFirst:
        return {.written = fmt::format("{:02}/{:02}/{}", month, day, year), .expected = date};
      case Kind::kIsoTimestamp:
        return same(fmt::format("{} {:02}:{:02}:{:02}", date, number(0, 23), number(0, 59), number(0, 59)));
      case Kind::kBool:
        return same(below(2) == 0 ? "true" : "false");
      case Kind::kText:
      case Kind::kCount:
        return same(fmt::format("word{}", random_() % 1'000));
      case Kind::kAwkwardText:
        return awkward(is_first);
    }
    return {};
  }

  Cell awkward(bool is_first) {
    switch (is_first ? 1 + below(4) : below(5)) {
      case 0:
        return same("");
      case 1:
        return same("say \"hi\"");
      case 2:
        return same(fmt::format("a{}b", separator_));
      case 3:
        return same("two\nlines");
      default:
        return same("Երևան, été");
    }
  }

  void add_years() {
    has_years_ = true;
    years_from_ = columns_.size();
    for (int i = 0; i < 3; ++i) add(below(2) == 0 ? Kind::kInteger : Kind::kFraction);
  }

  void choose_names() {
    bool has_typed = false;
    for (const Column& column : columns_) has_typed = has_typed || column.type != "VARCHAR";
    has_header_ = has_years_ || !has_typed || below(4) > 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      Column& column = columns_[i];
      if (!has_header_) {
        column.name = fmt::format("column{}", i);
      } else if (has_years_ && i >= years_from_) {
        column.name = std::to_string(1990 + 10 * (i - years_from_));
      } else {
        column.name = fmt::format("{} {}", below(3) == 0 ? "Größe" : "name", i);
      }
    }
  }

  std::mt19937 random_;
  char separator_ = ',';
  std::string line_end_;
  bool quotes_all_ = false;
  bool has_header_ = true;
  bool has_years_ = false;
  bool is_alone_ = true;  // In a single column a null would be a blank line.
  std::size_t years_from_ = 0;
  std::size_t rows_ = 0;
  std::vector<Column> columns_;
};

TEST(RandomCsv, IsReadAsItWasWritten) {
  testing::FileReading files;
  for (std::uint32_t seed = 1; seed <= 600; ++seed) {
    Model model(seed);
    const std::string text = model.text();
    SCOPED_TRACE(fmt::format("seed {}:\n{}", seed, text));
    const auto dataset = files.write(fmt::format("f{}.csv", seed), text);
    const Result<Table> table = files.inspect(*dataset);
    ASSERT_TRUE(table.ok()) << table.error().message;
    ASSERT_EQ(table->columns.size(), model.columns().size());
    for (std::size_t i = 0; i < model.columns().size(); ++i) {
      EXPECT_EQ(table->columns[i].name, model.columns()[i].name);
      EXPECT_EQ(engine::sql_name(table->columns[i].type), model.columns()[i].type);
    }
    const Result<std::vector<TextRow>> rows = files.rows(*dataset, *table, kNull);
    ASSERT_TRUE(rows.ok()) << rows.error().message;
    ASSERT_EQ(rows->size(), model.rows());
    for (std::size_t row = 0; row < model.rows(); ++row) {
      for (std::size_t i = 0; i < model.columns().size(); ++i)
        ASSERT_EQ((*rows)[row][i], model.columns()[i].cells[row].expected)
            << "row " << row << ", column " << i;
    }
  }
}

}  // namespace
}  // namespace sluice::query
