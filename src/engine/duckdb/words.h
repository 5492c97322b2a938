#pragma once

#include "sluice/base/result.h"

#include "handles.h"

namespace sluice::engine::duck {

// Registers what callers' SQL may call to compare texts in human languages:
//
// - word_match(text VARCHAR, word VARCHAR) BOOLEAN: whether a word, or several in a row, stands in a text in
// any
//   of its forms. Only the first 32 KiB of a text are searched. Fails if the word has no letter and no digit.
// - similar(a VARCHAR, b VARCHAR) DOUBLE: 1 if both have the same words, 0 if they have nothing in common.
// Only
//   the first 256 letters of each are compared.
//
// Null if either argument is null. A batch of 2,048 rows takes a second or two at worst; a statement can be
// interrupted between batches.
Status register_words(duckdb_connection connection);

}  // namespace sluice::engine::duck
