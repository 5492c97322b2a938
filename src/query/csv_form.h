#pragma once

#include <string>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/query/dataset.h"

#include "text_reader.h"

namespace sluice::query {

struct CsvFile {
  std::string path;
  std::string options;
  std::string beginning;            // What it begins with, at least the first line; empty if not known.
  bool is_beginning_whole = false;  // The file has no more.
  bool is_sniffed_whole = true;     // All rows decide on the types when the engine looks at the file.
  bool is_read_whole = true;        // All rows are read once to check the types.
  std::string mode = "";  // What else the engine is told when it looks at the file and when it reads it.
};

// Everything about a CSV file's form is found once; queries then read it without guessing. In text columns an
// empty cell is null and a quoted empty cell is an empty text; in all others both are null.
Result<TextReader> csv_reader(engine::Engine& engine, const engine::RunLimits& limits, const CsvFile& file,
                              const Collection& collection);

}  // namespace sluice::query
