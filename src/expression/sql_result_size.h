#pragma once

#include "sluice/base/result.h"
#include "sluice/json/value.h"

#include "sql_function.h"
#include "sql_growth.h"

namespace sluice::expression {

inline constexpr std::uint64_t kNestedTextFactor = 8;  // `false, ` for a boolean, and every quote escaped.
inline constexpr std::uint64_t kNumberBytes = 40;      // Of a number or a date as text.

// The sizes of the arguments of a call, for one row.
struct ArgumentSizes {
  Growth first;
  Growth sum;
  Growth largest;
  bool has_nested = false;
  bool has_plain_elements = false;  // The first is a list of numbers, dates or texts.
  bool lambda_is_nested = false;
  Growth lambda;       // What a lambda returns for one element,
  Growth lambda_made;  // and what it makes on its way there.
};

// The size of what a function returns for one row. Fails if an argument that bounds it is not constant, or is
// too large.
Result<Growth> result_size(const SqlFunction& function, const json::Array& arguments,
                           const ArgumentSizes& sizes);

// Whether what it returns is new text or a new list, and not a part of its arguments.
bool makes_values(const SqlFunction& function);

// How many times the list is made if this is made for each of its elements.
std::uint64_t for_each_element(const Growth& growth);

}  // namespace sluice::expression
