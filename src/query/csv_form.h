#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/query/dataset.h"

namespace sluice::query {

using NamedTypes = std::vector<std::pair<std::string, std::string>>;

// {'name': 'TYPE', …}
std::string columns_argument(const NamedTypes& columns);
// What the collection says of a column, or what was found.
std::string type_of_column(const Collection& collection, const std::string& name, const std::string& found);

inline constexpr std::size_t kSniffRows = 200'000;  // That decide on types, where not all do.

struct CsvFile {
  std::string path;
  std::string options;
  std::string beginning;  // What it begins with, at least the first line; empty where that is not known.
  bool is_sniffed_whole = true;
  std::string mode = "";  // What else the engine is told when it looks at the file and when it reads it.
};

// Everything about a CSV file's form is found once; queries then read it without guessing.
Result<std::string> csv_reader(engine::Engine& engine, const engine::RunLimits& limits, const CsvFile& file,
                               const Collection& collection);

}  // namespace sluice::query
