#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "sluice/engine/batch.h"
#include "sluice/engine/type.h"

namespace sluice::engine::postgres {

template <typename T>
std::optional<T> number_of(std::string_view text) {  // All of the text.
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): __extension__ takes no other form.

// -123.4500 as the decimal's digits without the point; nothing where it has more than the type has.
std::optional<Wide> decimal_of(std::string_view text, const Type& type);

// Digits before and behind the point that a numeric has; nothing for NaN and the infinities.
struct Digits {
  std::size_t whole = 0;
  std::size_t fraction = 0;
};
std::optional<Digits> digits_of(std::string_view text);

std::optional<Int128> uuid_of(std::string_view text);

}  // namespace sluice::engine::postgres
