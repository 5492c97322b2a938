#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/inspection/byte_stream.h"

namespace sluice::query {

// How a plain CSV file is written: as in RFC 4180, but with any separator.
struct CsvShape {
  char delimiter = ',';
  std::size_t columns = 1;
  bool has_header = true;
  std::vector<std::size_t> date_columns;  // Whose values in the beginning all look like dates.
};

// Whether the first cell, behind a byte order mark, is quoted because of a separator or line end. The engine
// does not see such a quote: it has to be given the text without the mark.
bool has_hidden_quote(std::string_view beginning);

// Whether the first of these rows names the columns of the others. There is one at least, and all have the
// same length.
bool has_header(const std::vector<std::vector<std::string>>& rows);

// The shape of a file that begins so, in UTF-8. Nothing if it is not plain: another dialect, lines before the
// header, rows of different lengths. The engine's own detection is better at those.
// `is_whole`: the file has no more than its beginning, otherwise its last row is ignored.
std::optional<CsvShape> plain_shape(std::string_view beginning, bool is_whole);

// The number of rows below the header, as the engine reads them with that shape. Nothing if some row shows
// that the file is not plain after all. Fails if the file cannot be read to its end within the limits.
Result<std::optional<std::uint64_t>> count_plain_rows(inspection::ByteStream& stream, const CsvShape& shape);

}  // namespace sluice::query
