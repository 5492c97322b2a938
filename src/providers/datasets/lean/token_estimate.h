#pragma once

#include <cstdint>
#include <string_view>

namespace sluice::datasets::lean {

// About how many tokens a model reads `text` as. Within a fifth of the o200k tokenizer for names, numbers and
// English text; a model with another tokenizer counts differently.
std::uint64_t estimate_tokens(std::string_view text);

}  // namespace sluice::datasets::lean
