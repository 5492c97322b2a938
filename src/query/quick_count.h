#pragma once

#include <cstdint>
#include <string>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/fs/file.h"
#include "sluice/query/file_dataset.h"

namespace sluice::query {

struct QuickCount {
  std::uint64_t rows = 0;
  bool is_exact = false;
};

// The rows of a file without the engine: exact for Parquet, by its footer, and for plain CSV of up to 20 MB
// if that can be read by the deadline; else an estimate by the beginning of the file. `encoding` is the one
// that the operator has configured, or empty. Fails if the engine must not be given the file at all.
Result<QuickCount> count_quickly(const fs::File& file, const FileForm& form, const std::string& encoding,
                                 Monotonic deadline);

}  // namespace sluice::query
