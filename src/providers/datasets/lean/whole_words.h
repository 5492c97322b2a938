#pragma once

#include <cstdint>
#include <string_view>

namespace sluice::datasets::lean {

// What tokenizers make of a word: one token, with a blank before it or not.
enum class WholeWord : std::uint8_t {
  kNo,                // Not known: it may be several tokens.
  kWhole,             // Also with _ or . before it.
  kWholeWithoutSign,  // A sign before it is a token of its own.
};

// `lower` is in lower case. Any thread.
WholeWord whole_word(std::string_view lower);

}  // namespace sluice::datasets::lean
