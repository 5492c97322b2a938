#include "columns.h"

#include <algorithm>

#include "sluice/base/text.h"

namespace sluice::query {

bool has_column(const expression::Columns& columns, std::string_view name) {
  return std::any_of(columns.begin(), columns.end(),
                     [&](const engine::Field& column) { return equal_ignoring_case(column.name, name); });
}

}  // namespace sluice::query
