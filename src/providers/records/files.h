#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/records/store.h"
#include "sluice/records/view.h"

namespace sluice::records_provider {

// kListed leaves out snapshots, logs and embeddings; all of them can be read by their path.
enum class Files : std::uint8_t { kListed, kAll };

// Parquet files of the store's folder but those in folders that begin with `_`, as paths, in order.
Result<std::vector<std::string>> list_files(const records::Store& store, Files files);

// A path of which a URI has the names percent-encoded, joined by slashes. Refuses what is no path of a
// Parquet file beneath the folder: empty names, `.`, `..`, NUL, names that begin with `_`.
Result<std::string> decode_path(std::string_view encoded);

// What a file of the folder holds; its rows come in their order. kNotFound where there is none.
Result<records::View> open_file(const records::Store& store, const std::string& path,
                                const engine::RunLimits& limits);

}  // namespace sluice::records_provider
