#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/json/value.h"
#include "sluice/plan/condition.h"

namespace sluice::records {

// The values of filters, as constants of conditions over columns of their own type.
class Operands {
 public:
  // Nothing where no cell can be equal to `value`. code `wrong_type` where the two cannot be compared at all.
  Result<std::optional<plan::Constant>> equal_to(const engine::Field& column, const json::Value& value);
  // `value` among those of the column's type.
  Result<plan::Constant> ordered_with(const engine::Field& column, const json::Value& value);

  // After all of the above, for the condition that was made of them. Fails if there is a date, an id or the
  // like that the engine cannot read. In columns without a zone, texts with an offset become UTC.
  Status settle(engine::Engine& engine, std::span<const engine::Field> columns,
                plan::Condition& condition) const;

 private:
  // Texts of which only the engine can tell whether they denote values of a type.
  struct Doubt {
    std::string column;
    std::string type;
    std::string sql;  // Of the value that the text `t` stands for.
    std::vector<std::string> texts;
  };
  Result<std::optional<std::string>> text_of(const engine::Field& column, const json::Value& value);
  Result<std::optional<std::string>> nested(const engine::Field& column, const json::Value& value);
  void doubt(const engine::Field& column, const std::string& sql, const std::string& text);

  std::vector<Doubt> doubts_;
};

// Whether cells of this type are compared as their texts, because no value can be cast to the type.
bool is_compared_as_text(engine::TypeId id);

// A scalar as text; nothing for null, lists and objects.
std::optional<std::string> scalar_text(const json::Value& value);

Error wrong_type(const engine::Field& column, const json::Value& value);

}  // namespace sluice::records
