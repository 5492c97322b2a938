#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/type.h"

namespace sluice::records {

// The column of that exact name. code `unknown_column`; the hint names the nearest, and the data has the
// names that there are as `available_columns`.
Result<const engine::Field*> find_column(std::span<const engine::Field> columns, std::string_view name);

// The error for names that no column has: "Columns not found: ['x']".
Error unknown_columns(std::span<const engine::Field> columns, std::span<const std::string> names,
                      std::string_view what = "Columns not found");

}  // namespace sluice::records
