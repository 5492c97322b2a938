#pragma once

#include <cstddef>
#include <string>

#include "sluice/engine/batch.h"

namespace sluice::render {

struct NumberText {
  std::string text;
  bool is_exact = true;  // Whether a double holds it.
};

std::string digits_of(engine::Int128 value);
std::string unsigned_digits_of(engine::Int128 value);
// A decimal cell of any width, with its point.
NumberText decimal_text(const engine::Column& column, std::size_t row);
std::string uuid_text(engine::Int128 value);
std::string bits_text(std::string_view cell);
std::string bignum_text(std::string_view cell);

}  // namespace sluice::render
