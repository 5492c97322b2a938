#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace sluice::expression {

enum class SqlType : std::uint8_t { kText, kInteger, kNumber, kBoolean, kDate };

// A value that takes the place of `$name` in a statement.
struct SqlParameter {
  SqlType type = SqlType::kText;
  std::optional<std::string> value;  // As text: "-5", "1.5", "true", "2024-01-31". Nullopt: NULL.
};

using SqlParameters = std::map<std::string, SqlParameter, std::less<>>;  // By name, without the $.

}  // namespace sluice::expression
