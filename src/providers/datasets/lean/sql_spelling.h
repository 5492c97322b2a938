#pragma once

#include <string>
#include <string_view>

namespace sluice::datasets::lean {

// A name as it can stand in SQL: in double quotes only if SQL needs them.
std::string sql_spelling(std::string_view name);

// The name of a dataset as `query` accepts it in FROM: `shop/orders` as shop.orders.
std::string table_spelling(std::string_view dataset);

}  // namespace sluice::datasets::lean
