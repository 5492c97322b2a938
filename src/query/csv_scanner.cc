#include "csv_scanner.h"

#include <cstring>
#include <utility>

namespace sluice::query {

namespace {

constexpr std::size_t kRecordBytesMax = 1'900'000;  // The engine refuses lines of more than 2,000,000.

}  // namespace

CsvScanner::CsvScanner(char delimiter) {
  marks_['\n'] = Mark::kNewline;
  marks_['\r'] = Mark::kReturn;
  marks_['"'] = Mark::kQuote;
  marks_['\0'] = Mark::kNull;
  marks_[static_cast<unsigned char>(delimiter)] = Mark::kDelimiter;
}

void CsvScanner::end_field() {
  ++fields_;
  state_ = State::kFieldStart;
  if (collected_ != nullptr) record_.push_back(std::exchange(cell_, {}));
}

bool CsvScanner::end_record(LineEnd line_end) {
  if (line_end_ == LineEnd::kUnknown) line_end_ = line_end;
  if (line_end != LineEnd::kUnknown && line_end != line_end_) return false;
  end_field();
  if (columns_ == 0) columns_ = fields_;
  if (fields_ != columns_) return false;
  if (collected_ != nullptr) collected_->push_back(std::exchange(record_, {}));
  ++records_;
  fields_ = 0;
  record_bytes_ = 0;
  return true;
}

// A character that means something where the scanner is.
bool CsvScanner::take_mark(char c) {
  const Mark mark = mark_of(c);
  if (state_ == State::kReturn) {
    if (mark != Mark::kNewline) return false;
    state_ = State::kPlain;
    return end_record(LineEnd::kReturnNewline);
  }
  if (state_ == State::kQuoteInQuoted && mark == Mark::kQuote) {
    if (collected_ != nullptr) cell_ += '"';
    state_ = State::kQuoted;
    return true;
  }
  switch (mark) {
    case Mark::kDelimiter:
      end_field();
      return true;
    case Mark::kNewline:
      if (is_at_record_start() && columns_ > 1) return true;  // A blank line.
      if (is_at_record_start()) return false;
      return end_record(LineEnd::kNewline);
    case Mark::kReturn:
      if (is_at_record_start()) return false;
      state_ = State::kReturn;
      return true;
    case Mark::kQuote:
      if (state_ != State::kFieldStart) return false;
      state_ = State::kQuoted;
      return true;
    case Mark::kNull:
      return false;
    case Mark::kNone:
      break;
  }
  if (state_ == State::kQuoteInQuoted) return false;
  state_ = State::kPlain;
  if (collected_ != nullptr) cell_ += c;
  return true;
}

bool CsvScanner::feed(std::string_view piece) {
  const char* at = piece.data();
  const char* const end = at + piece.size();
  while (at < end) {
    const char* const begin = at;
    if (state_ == State::kQuoted) {
      const void* quote = std::memchr(at, '"', static_cast<std::size_t>(end - at));
      at = quote == nullptr ? end : static_cast<const char*>(quote);
      if (std::memchr(begin, '\0', static_cast<std::size_t>(at - begin)) != nullptr) return false;
    } else if (state_ == State::kPlain) {
      while (at < end && mark_of(*at) == Mark::kNone) ++at;
    }
    if (collected_ != nullptr) cell_.append(begin, at);
    record_bytes_ += static_cast<std::size_t>(at - begin) + 1;
    if (record_bytes_ > kRecordBytesMax) return false;
    if (at == end) return true;
    if (state_ == State::kQuoted) {
      state_ = State::kQuoteInQuoted;
    } else if (!take_mark(*at)) {
      return false;
    }
    ++at;
  }
  return true;
}

bool CsvScanner::finish() {
  if (is_at_record_start()) return true;
  if (state_ == State::kQuoted || state_ == State::kReturn) return false;
  return end_record(LineEnd::kUnknown);
}

}  // namespace sluice::query
