#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/engine/sql.h"
#include "sluice/json/value.h"

namespace sluice::records {

// The values that a condition compares columns with, as parameters. Nothing of a value becomes part of the
// SQL.
class Operands {
 public:
  explicit Operands(std::size_t first_parameter) : next_(first_parameter) {}

  std::string bind(engine::Parameter parameter);  // "$3".
  std::vector<engine::Parameter> take() && { return std::move(parameters_); }

  // `value` with the column's own type; nothing where no cell can be equal to it. code `wrong_type` where the
  // two cannot be compared at all.
  Result<std::optional<std::string>> equal_to(const engine::Field& column, const json::Value& value);
  // `value` with a type that the column can be ordered against.
  Result<std::string> ordered_with(const engine::Field& column, const json::Value& value);
  // A list of values that equal_to would take, none of them null, as what stands behind IN.
  Result<std::string> members(const engine::Field& column, const std::vector<const json::Value*>& values);

  // Whether the engine can read every text that was bound as a date, an id and the like. After all of the
  // above.
  Status check(engine::Engine& engine) const;

 private:
  struct Doubt {
    std::string column;
    std::string type;
    std::string sql;  // Of the value that the text `t` stands for.
    std::vector<std::string> texts;
  };
  Result<std::optional<std::string>> text_of(const engine::Field& column, const json::Value& value);
  Result<std::optional<std::string>> nested(const engine::Field& column, const json::Value& value);
  void doubt(const engine::Field& column, const std::string& sql, const std::string& text);

  std::size_t next_;
  std::vector<engine::Parameter> parameters_;
  std::vector<Doubt> doubts_;
};

// SQL for a cell as it is compared (`name` is quoted), and as text operators see it.
std::string compared(const engine::Field& column);
std::string as_text(const engine::Field& column);

// A scalar as text; nothing for null, lists and objects.
std::optional<std::string> scalar_text(const json::Value& value);

Error wrong_type(const engine::Field& column, const json::Value& value);

}  // namespace sluice::records
