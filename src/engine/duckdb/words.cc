#include "words.h"

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <string_view>

#include "sluice/base/utf8.h"
#include "sluice/engine/batch.h"
#include "sluice/text/pattern_set.h"
#include "sluice/text/similarity.h"

#include "types.h"

namespace sluice::engine::duck {

namespace {

// The engine is interrupted between batches, so what one of 2,048 rows takes has to be bounded: matching is
// linear in the bytes of a text, and comparing quadratic in its letters.
constexpr std::size_t kSearchedBytesMax = std::size_t{32} << 10U;
constexpr std::size_t kComparedLettersMax = 256;

struct Word {
  std::string text;
  Result<text::PatternSet> patterns;
};

// The words that this thread looked for last. A scalar function has no state of its own for a statement, and
// the forms of a word take much longer to find than a text takes to be compared.
const Word& word_of(std::string_view text) {
  constexpr std::size_t kWordsMax = 16;
  thread_local std::deque<Word> words;
  const auto found =
      std::find_if(words.begin(), words.end(), [&](const Word& word) { return word.text == text; });
  if (found != words.end()) return *found;
  if (words.size() >= kWordsMax) words.pop_front();
  const std::array<std::string, 1> patterns = {std::string(text)};
  words.push_back(
      {.text = std::string(text), .patterns = text::PatternSet::compile(patterns, text::Mode::kBalanced)});
  return words.back();
}

// Both arguments of a call, for all rows of a chunk.
class TextPairs {
 public:
  explicit TextPairs(duckdb_data_chunk input) : first_(input, 0), second_(input, 1) {}

  bool has_null(idx_t row) const {
    return !duckdb_validity_row_is_valid(first_.valid, row) ||
           !duckdb_validity_row_is_valid(second_.valid, row);
  }
  std::string_view first(idx_t row) const { return first_.cells[row].view(); }
  std::string_view second(idx_t row) const { return second_.cells[row].view(); }

 private:
  struct Texts {
    Texts(duckdb_data_chunk input, idx_t index) {
      const duckdb_vector vector = duckdb_data_chunk_get_vector(input, index);
      cells = static_cast<const TextCell*>(duckdb_vector_get_data(vector));
      valid = duckdb_vector_get_validity(vector);
    }
    const TextCell* cells = nullptr;
    std::uint64_t* valid = nullptr;  // Null if no row is null.
  };

  const Texts first_;
  const Texts second_;
};

void match_words(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const TextPairs pairs(input);
  auto* answers = static_cast<bool*>(duckdb_vector_get_data(output));
  const idx_t rows = duckdb_data_chunk_get_size(input);
  for (idx_t row = 0; row < rows; ++row) {
    if (pairs.has_null(row)) {
      set_null(output, row);
      continue;
    }
    const Word& word = word_of(pairs.second(row));
    if (!word.patterns.ok()) {
      duckdb_scalar_function_set_error(info, ("word_match: " + word.patterns.error().message).c_str());
      return;
    }
    answers[row] = word.patterns->match(first_bytes(pairs.first(row), kSearchedBytesMax)).has_value();
  }
}

void compare_texts(duckdb_function_info /*info*/, duckdb_data_chunk input, duckdb_vector output) {
  const TextPairs pairs(input);
  auto* values = static_cast<double*>(duckdb_vector_get_data(output));
  const idx_t rows = duckdb_data_chunk_get_size(input);
  for (idx_t row = 0; row < rows; ++row) {
    if (pairs.has_null(row)) {
      set_null(output, row);
      continue;
    }
    values[row] = text::similarity(first_characters(pairs.first(row), kComparedLettersMax),
                                   first_characters(pairs.second(row), kComparedLettersMax));
  }
}

Status register_pair(duckdb_connection connection, const char* name, duckdb_type returns,
                     duckdb_scalar_function_t call) {
  const Function scalar(duckdb_create_scalar_function());
  const LogicalType text(duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR));
  const LogicalType returned(duckdb_create_logical_type(returns));
  duckdb_scalar_function_set_name(scalar.get(), name);
  duckdb_scalar_function_add_parameter(scalar.get(), text.get());
  duckdb_scalar_function_add_parameter(scalar.get(), text.get());
  duckdb_scalar_function_set_return_type(scalar.get(), returned.get());
  duckdb_scalar_function_set_function(scalar.get(), call);
  if (duckdb_register_scalar_function(connection, scalar.get()) == DuckDBError)
    return internal_error(std::string("register function: ") + name);
  return {};
}

}  // namespace

Status register_words(duckdb_connection connection) {
  SLUICE_CHECK(register_pair(connection, "word_match", DUCKDB_TYPE_BOOLEAN, match_words));
  return register_pair(connection, "similar", DUCKDB_TYPE_DOUBLE, compare_texts);
}

}  // namespace sluice::engine::duck
