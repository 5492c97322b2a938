#pragma once

#include <string>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/query/dataset.h"

#include "text_reader.h"

namespace sluice::query {

struct JsonFile {
  std::string path;
  std::string options;
  bool is_sniffed_whole = true;  // All rows decide on the types when the engine looks at the file.
};

// Finds the columns of JSON once; queries then read it without guessing. Dates, times and numbers are read
// from their text, so that offsets and digits are kept. Keys that differ by case only are columns of their
// own, and so is an empty key. Dates within lists and objects stay text.
Result<TextReader> json_reader(engine::Engine& engine, const engine::RunLimits& limits, const JsonFile& file,
                               const Collection& collection);

}  // namespace sluice::query
