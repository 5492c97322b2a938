#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sluice/engine/batch.h"

namespace sluice::render {

// How many digits a floating-point number has, in lists and structs as well.
enum class Digits : std::uint8_t {
  kExact,  // As many as it takes to read the same number again.
  kBrief,  // At most 15 significant ones (7 in single precision): 33.49 instead of 33.489999999999995.
};

// One cell as JSON, appended to `out`. Nothing is lost, unless `digits` are brief:
//
// - null is null, a boolean is true or false, an enum is its label, text is text.
// - A number is a JSON number while a double holds it exactly: integers up to 2^53, decimals of up to 15
// digits.
//   Beyond that it is a string of its digits. NaN, Infinity and -Infinity are strings.
// - Dates, times and timestamps are ISO 8601 text (`Z` for a timestamp with zone, `infinity` and `-infinity`
// where
//   the engine has them), an interval is an ISO 8601 duration.
// - A UUID is its usual text, a blob is base64, bits are a string of 0 and 1.
// - A list or array is an array, a struct is an object, a map is an array of {"key", "value"}, a union is an
// object
//   with the one member that is set.
void append_json(std::string& out, const engine::Column& column, std::size_t row,
                 Digits digits = Digits::kExact);

// The same as plain text, without quotes: null is empty, nested values are JSON. For CSV.
void append_text(std::string& out, const engine::Column& column, std::size_t row,
                 Digits digits = Digits::kExact);

}  // namespace sluice::render
