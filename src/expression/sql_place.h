#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sluice/base/error.h"
#include "sluice/json/value.h"

namespace sluice::expression {

// Where a part of a statement begins in its text, in bytes. Nullopt: the engine does not say so.
using SqlPlace = std::optional<std::uint64_t>;
SqlPlace place_in_text(const json::Value& node);
// Where the parser stopped.
SqlPlace place_of_parser_error(const json::Value& tree);
// The first use of a column of this name.
SqlPlace place_of_column(const json::Value& tree, std::string_view name);
// The first call of a function that a message of the engine names: "… 'sum(VARCHAR)' …".
SqlPlace place_of_function(const json::Value& tree, std::string_view message);

// The error with its place at the end of its message: "(line 2, column 8)".
Error at_place(Error error, std::string_view sql, const SqlPlace& place);

}  // namespace sluice::expression
