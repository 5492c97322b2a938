#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/database.h"
#include "sluice/engine/engine.h"

namespace sluice::engine {

// A function name(pattern, text) that tells whether a text matches. A pattern is compiled once for each
// statement; what it fails with is the error of the statement.
struct TextMatcher {
  std::string name;
  std::function<Result<std::function<bool(std::string_view)>>(std::string_view pattern)> compile;
};

struct SqliteOptions {
  std::string path;  // Absolute. The folders of it may be links, the file may not.
  std::vector<TextFunction> functions;
  std::vector<TextPairFunction> pair_functions;
  std::vector<TextMatcher> matchers;  // One named "regexp" is what the operator REGEXP calls.
  std::size_t connections_max = 4;
};

// The file need not exist yet, and may be replaced by another: calls tell. median(number) is there besides
// SQLite's own functions and those given.
Result<std::unique_ptr<Database>> open_sqlite(const SqliteOptions& options);

}  // namespace sluice::engine
