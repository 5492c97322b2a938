#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sluice::engine {

// A value bound to a placeholder of a statement. A list is bound as a list of text.
using Parameter =
    std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::string>>;

// One statement with its values, bound in the order of $1, $2, ….
struct Statement {
  std::string sql;
  std::vector<Parameter> parameters;
};

// "a""b" for the name a"b.
std::string quote_name(std::string_view name);
// 'it''s' for the text it's. For what SQL cannot take as a parameter; values of a caller are parameters.
std::string quote_text(std::string_view text);

}  // namespace sluice::engine
