#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "sluice/base/error.h"

namespace sluice::expression {

// "expression at character 7: …", with the code `invalid_expression`. Positions are counted from 0, shown
// from 1.
Error invalid_expression(std::size_t position, std::string_view what, std::string_view hint = {});
// A name that is none of `allowed`, which the hint lists; the nearest comes first.
Error unknown_name(std::size_t position, std::string_view what, std::string_view name,
                   std::span<const std::string_view> allowed);
Error unknown_column(std::string_view name, std::span<const std::string> columns);
Error expression_too_large(std::string_view what, std::size_t limit);

}  // namespace sluice::expression
