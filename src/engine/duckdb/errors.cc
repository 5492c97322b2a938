#include "errors.h"

#include <array>
#include <string>
#include <string_view>

#include "sluice/base/utf8.h"
#include "sluice/engine/engine.h"

namespace sluice::engine::duck {

namespace {

constexpr std::size_t kMessageBytesMax = 300;

struct Meaning {
  std::string_view prefix;  // What DuckDB's message begins with. Preparing tells no more than this.
  ErrorKind kind;
  std::string_view code;
  std::string_view hint;
};

constexpr std::string_view kBrokenHint =
    "The file is broken, not what its name says, or uses something that is not supported.";

constexpr std::string_view kDateHint =
    "A date is compared with DATE '2000-01-31'; its year is year(column), its month month(column).";

constexpr std::array kMeanings = {
    Meaning{"Conversion Error: Unimplemented type for cast (INTEGER -> DATE)", ErrorKind::kInvalidInput,
            "invalid_value", kDateHint},
    Meaning{"Conversion Error: Unimplemented type for cast (BIGINT -> DATE)", ErrorKind::kInvalidInput,
            "invalid_value", kDateHint},
    Meaning{"Conversion Error: Unimplemented type for cast (INTEGER -> TIMESTAMP", ErrorKind::kInvalidInput,
            "invalid_value", kDateHint},
    Meaning{"Out of Memory Error", ErrorKind::kLimitReached, "memory_limit",
            "Ask for fewer columns or groups, or add a filter."},
    Meaning{"Permission Error", ErrorKind::kForbidden, "access_denied", "Only the served data can be read."},
    Meaning{"Conversion Error", ErrorKind::kInvalidInput, "invalid_value",
            "A value does not have the type of its column; in SQL, try_cast gives NULL for it."},
    Meaning{"Invalid Input Error", ErrorKind::kInvalidInput, "invalid_value",
            "A value cannot be used as it is: look at regular expressions, dates and numbers."},
    Meaning{"Out of Range Error", ErrorKind::kInvalidInput, "out_of_range",
            "A result does not fit its type; cast to a wider type, or add a filter."},
    Meaning{"Binder Error", ErrorKind::kInvalidInput, "invalid_query",
            "Look at the columns and their types."},
    Meaning{"Parser Error", ErrorKind::kInvalidInput, "invalid_query",
            "Look at the columns and their types."},
    Meaning{"Catalog Error", ErrorKind::kInvalidInput, "invalid_query",
            "Look at the columns and their types."},
    // What is thrown without a kind of its own: by the readers of files, which find them broken.
    Meaning{"Invalid Error", ErrorKind::kInvalidInput, "unreadable_file", kBrokenHint},
    Meaning{"Serialization Error", ErrorKind::kInvalidInput, "unreadable_file", kBrokenHint},
    Meaning{"Not implemented Error", ErrorKind::kUnsupported, "unsupported_query", "Ask it another way."},
    Meaning{"IO Error", ErrorKind::kUnavailable, "unreadable_file", "The file cannot be read as it is now."},
    Meaning{"INTERRUPT Error", ErrorKind::kCancelled, "cancelled", ""},
    // What a statement is told that came after the one that broke the database.
    Meaning{"FATAL Error: Failed: database has been invalidated", ErrorKind::kUnavailable, "engine_replaced",
            "Ask again."},
    // After either, DuckDB refuses every further statement of that database.
    Meaning{"FATAL Error", ErrorKind::kInternal, "engine_failed", "Try again, or ask it another way."},
    Meaning{"INTERNAL Error", ErrorKind::kInternal, "engine_failed", "Try again, or ask it another way."},
};

std::string first_line(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  return std::string(first_bytes(text, kMessageBytesMax));
}

// Paths are of no use to a caller, and not theirs to know.
void hide_paths(std::string& text) {
  for (const char mark : {'"', '\''}) {
    std::size_t from = 0;
    while (true) {
      const std::size_t begin = text.find(std::string{mark, '/'}, from);
      if (begin == std::string::npos) break;
      const std::size_t end = text.find(mark, begin + 1);
      const std::size_t size = end == std::string::npos ? std::string::npos : end + 1 - begin;
      text.replace(begin, size, "(file)");
      from = begin;
    }
  }
  for (std::size_t begin = text.find("/proc/"); begin != std::string::npos; begin = text.find("/proc/")) {
    const std::size_t end = text.find_first_of(" \"',;:)", begin);
    text.replace(begin, end == std::string::npos ? end : end - begin, "(file)");
  }
}

// Files are read by their descriptor's path, and what is wrong with one is said with it. The caller's values
// have no part in that.
bool is_about_a_file(std::string_view whole) {
  return whole.find("/proc/self/fd/") != std::string_view::npos;
}

// What the text of a file cannot be read as.
bool is_about_an_encoding(std::string_view whole) {
  for (const std::string_view end :
       {"is not utf-8 encoded", "is not utf-16 encoded", "is not latin-1 encoded"}) {
    if (whole.find(end) != std::string_view::npos) return true;
  }
  return false;
}

// The number that stands behind a label; empty where there is none.
std::string_view number_behind(std::string_view whole, std::string_view label) {
  const std::size_t at = whole.find(label);
  if (at == std::string_view::npos) return {};
  whole.remove_prefix(at + label.size());
  return whole.substr(0, whole.find_first_not_of("0123456789"));
}

// A row of another length than the others, with where it is; empty for any other error.
std::string ragged_row(std::string_view whole) {
  const std::string_view line = number_behind(whole, "CSV Error on Line: ");
  const std::string_view expected = number_behind(whole, "Expected Number of Columns: ");
  const std::string_view found = number_behind(whole, " Found: ");
  if (line.empty() || expected.empty() || found.empty()) return {};
  std::string out = "read rows: line ";
  ((((out += line) += " has ") += found) += " columns, expected ") += expected;
  return out;
}

}  // namespace

Error error_of(const char* message) {
  const std::string_view whole = message == nullptr ? "the engine gave no reason" : message;
  if (const std::string ragged = ragged_row(whole); !ragged.empty()) {
    return invalid_input(ragged)
        .with_code("unreadable_file")
        .with_hint(
            "Every row of a CSV file needs as many columns as its header; the file has to be repaired.");
  }
  std::string text = first_line(whole);
  hide_paths(text);
  for (const Meaning& meaning : kMeanings) {
    if (!std::string_view(text).starts_with(meaning.prefix)) continue;
    if (meaning.kind == ErrorKind::kInvalidInput && is_about_an_encoding(whole)) {
      return make_error(ErrorKind::kUnsupported, text)
          .with_code("unsupported_encoding")
          .with_hint("Convert the file to UTF-8.");
    }
    // Not kUnavailable: that is for what may work later, and a result that cannot be kept is told by it.
    if ((meaning.kind == ErrorKind::kInvalidInput || meaning.kind == ErrorKind::kUnavailable) &&
        is_about_a_file(whole))
      return invalid_input(text).with_code("unreadable_file").with_hint(kBrokenHint);
    return make_error(meaning.kind, text).with_code(meaning.code).with_hint(meaning.hint);
  }
  return internal_error(text);
}

bool is_breaking(const Error& error) {
  return error.code == "engine_failed" || error.code == kEngineReplaced;
}

}  // namespace sluice::engine::duck
