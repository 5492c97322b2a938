#include "sluice/engine/value_set.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "sluice/engine/batch.h"

#include "value_set.h"

namespace sluice::engine {

namespace duck {

namespace {

class ValueSet {
 public:
  explicit ValueSet(std::string_view text) : text_(text) {
    std::string_view rest = text_;
    if (rest.starts_with(kSetSeparator)) {
      while (!rest.empty()) {
        rest.remove_prefix(1);
        add(rest, std::min(rest.find(kSetSeparator), rest.size()));
      }
      return;
    }
    while (!rest.empty()) {  // 5:hello2:no
      std::size_t size = 0;
      const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), size);
      rest.remove_prefix(static_cast<std::size_t>(parsed.ptr - rest.data()));
      if (parsed.ec != std::errc() || !rest.starts_with(':') || size >= rest.size()) return;
      rest.remove_prefix(1);
      add(rest, size);
    }
  }
  ValueSet(const ValueSet&) = delete;
  ValueSet& operator=(const ValueSet&) = delete;

  const std::string& text() const { return text_; }
  bool contains(std::string_view text) const { return set_.contains(text); }

 private:
  void add(std::string_view& rest, std::size_t size) {
    set_.insert(rest.substr(0, size));
    rest.remove_prefix(size);
  }

  const std::string text_;
  std::unordered_set<std::string_view> set_;  // Views of text_.
};

// The sets that this thread used last. A scalar function has no state of its own for a statement, and to
// compare a text with the one that was seen before is much cheaper than to read it again for every chunk.
const ValueSet& set_of(std::string_view text) {
  constexpr std::size_t kSetsMax = 4;
  thread_local std::deque<ValueSet> sets;
  const auto found =
      std::find_if(sets.begin(), sets.end(), [&](const ValueSet& known) { return known.text() == text; });
  if (found != sets.end()) return *found;
  if (sets.size() >= kSetsMax) sets.pop_front();
  return sets.emplace_back(text);
}

void test_texts(duckdb_function_info /*info*/, duckdb_data_chunk input, duckdb_vector output) {
  const idx_t rows = duckdb_data_chunk_get_size(input);
  if (rows == 0) return;
  const duckdb_vector texts = duckdb_data_chunk_get_vector(input, 0);
  const auto* cells = static_cast<const TextCell*>(duckdb_vector_get_data(texts));
  std::uint64_t* valid = duckdb_vector_get_validity(texts);
  const duckdb_vector sets = duckdb_data_chunk_get_vector(input, 1);
  const ValueSet& set = set_of(static_cast<const TextCell*>(duckdb_vector_get_data(sets))->view());
  auto* answers = static_cast<bool*>(duckdb_vector_get_data(output));
  for (idx_t row = 0; row < rows; ++row) {
    // A null has no text to look at; that it is not among them keeps the row out as a null would.
    answers[row] = duckdb_validity_row_is_valid(valid, row) && set.contains(cells[row].view());
  }
}

}  // namespace

Status register_value_set(duckdb_connection connection) {
  const Function scalar(duckdb_create_scalar_function());
  const LogicalType text(duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR));
  const LogicalType boolean(duckdb_create_logical_type(DUCKDB_TYPE_BOOLEAN));
  duckdb_scalar_function_set_name(scalar.get(), "is_among");
  duckdb_scalar_function_add_parameter(scalar.get(), text.get());
  duckdb_scalar_function_add_parameter(scalar.get(), text.get());
  duckdb_scalar_function_set_return_type(scalar.get(), boolean.get());
  duckdb_scalar_function_set_function(scalar.get(), test_texts);
  if (duckdb_register_scalar_function(connection, scalar.get()) == DuckDBError)
    return internal_error("register function: is_among");
  return {};
}

}  // namespace duck

}  // namespace sluice::engine
