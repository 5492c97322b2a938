#pragma once

#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/json/value.h"

namespace sluice::expression {

// What the engine's parser makes of a text: json_serialize_sql's object, an error of the parser included. It
// names no table and binds nothing.
Result<json::Value> parse_sql(engine::Engine& engine, std::string_view sql, const engine::RunLimits& limits);

// SQL for a tree, as the engine's writer has it.
Result<std::string> write_unchecked(engine::Engine& engine, const json::Value& tree,
                                    const engine::RunLimits& limits);

// The same. It parses to that tree again, or is refused: the engine's writer leaves out brackets here
// and there, of nested joins for one.
Result<std::string> write_sql(engine::Engine& engine, const json::Value& tree,
                              const engine::RunLimits& limits);

}  // namespace sluice::expression
