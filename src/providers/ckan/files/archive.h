#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/fs/file.h"
#include "sluice/fs/file_writer.h"

namespace sluice::ckan {

// A zip file. What is in it is read within bounds, whatever it says of itself.
struct ArchiveEntry {
  std::string name;  // As the archive has it; only for showing and choosing, never a path.
  std::uint64_t index = 0;
};
// invalid_archive where it is none, or has too many entries.
Result<std::vector<ArchiveEntry>> list_archive(const fs::File& file);

// Writes one entry, at most `bytes_max` bytes of it.
Status extract(const fs::File& file, const ArchiveEntry& entry, std::uint64_t bytes_max, fs::FileWriter& out,
               const std::stop_token& stop);

}  // namespace sluice::ckan
