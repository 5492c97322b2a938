#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::query {

// Splits text that arrives in pieces into the records of RFC 4180, and counts them. Stricter than the
// engine's reader: where that would guess, this refuses, so that what it accepts both read alike. Blank lines
// between records of several fields are skipped.
class CsvScanner {
 public:
  using Record = std::vector<std::string>;

  explicit CsvScanner(char delimiter);
  // From here on the cells are collected too. `records` must outlive the scanner.
  void collect_into(std::vector<Record>& records) { collected_ = &records; }

  // False if the text is not plain: then nothing else may be called.
  bool feed(std::string_view piece);
  // The text ends here. False if its last record is not complete.
  bool finish();

  std::uint64_t records() const { return records_; }
  std::size_t columns() const { return columns_; }  // Of the first record, and of all others.

 private:
  enum class State : std::uint8_t { kFieldStart, kPlain, kQuoted, kQuoteInQuoted, kReturn };
  enum class LineEnd : std::uint8_t { kUnknown, kNewline, kReturnNewline };
  enum class Mark : std::uint8_t { kNone, kDelimiter, kNewline, kReturn, kQuote, kNull };

  Mark mark_of(char c) const { return marks_[static_cast<unsigned char>(c)]; }
  bool take_mark(char c);
  bool end_record(LineEnd line_end);
  void end_field();
  bool is_at_record_start() const { return state_ == State::kFieldStart && fields_ == 0; }

  std::array<Mark, 256> marks_{};
  State state_ = State::kFieldStart;
  LineEnd line_end_ = LineEnd::kUnknown;
  std::size_t fields_ = 0;  // Complete ones of the current record.
  std::size_t columns_ = 0;
  std::uint64_t records_ = 0;
  std::size_t record_bytes_ = 0;
  std::vector<Record>* collected_ = nullptr;
  std::string cell_;
  Record record_;
};

}  // namespace sluice::query
