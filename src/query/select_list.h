#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/query/dataset.h"

#include "text_reader.h"

namespace sluice::query {

// Finds the columns of a file, and what to select of `from` so that they have types and names that can be
// shown. `text_columns` are those of a text file; empty for others.
Status choose_columns(engine::Engine& engine, const std::string& from,
                      const std::vector<TextReader::Column>& text_columns, Table& table);

}  // namespace sluice::query
